// partially_sorted.hpp - a queue that hands out its smallest keys in batches, unsorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace warpath {

/// Sorts a few keys by insertion.
template <class Key>
void sort_few(Key* const first, Key* const last) {
  for (Key* next = first + 1; next < last; ++next) {
    const Key moved = *next;
    Key* at = next;
    for (; at > first && moved < at[-1]; --at) *at = at[-1];
    *at = moved;
  }
}

/// Partitions different keys around the one of a given rank (from 0 on): smaller ones before it,
/// larger ones behind it. Work O(size).
///
/// Quickselect with the median of three as pivot. When that pivot leaves more than three quarters
/// of the keys, the next one is the median of the medians of groups of five (Blum, Floyd, Pratt,
/// Rivest, Tarjan 1973), which never does.
template <class Key>
void select_rank(Key* first, Key* last, std::size_t rank) {
  constexpr std::ptrdiff_t kFew = 8;
  bool guaranteed = false;
  while (last - first > kFew) {
    const std::ptrdiff_t size = last - first;
    Key* pivot = first + size / 2;
    if (guaranteed) {
      Key* medians = first;
      for (Key* group = first; group + 5 <= last; group += 5) {
        sort_few(group, group + 5);
        std::swap(*medians++, group[2]);
      }
      const std::ptrdiff_t half = (medians - first) / 2;
      select_rank(first, medians, static_cast<std::size_t>(half));
      pivot = first + half;
    } else {
      Key* low = first;
      Key* high = last - 1;
      if (*high < *low) std::swap(low, high);
      if (*pivot < *low)
        pivot = low;
      else if (*high < *pivot)
        pivot = high;
    }
    // Every key is swapped, and the boundary moves on behind smaller keys: no branch but that of
    // the loop.
    std::swap(*pivot, *(last - 1));
    const Key around = *(last - 1);
    Key* boundary = first;
    for (Key* next = first; next < last - 1; ++next) {
      const Key moved = *next;
      *next = *boundary;
      *boundary = moved;
      boundary += moved < around;
    }
    std::swap(*boundary, *(last - 1));
    const auto below = static_cast<std::size_t>(boundary - first);
    if (rank == below) return;
    if (rank < below) {
      last = boundary;
    } else {
      first = boundary + 1;
      rank -= below + 1;
    }
    guaranteed = !guaranteed && last - first > size - size / 4;
  }
  sort_few(first, last);
}

/// The partial-sorting structure of Duan et al. 2025, lemma 3.3. With N keys inserted in all and
/// batches of up to M keys, amortised: O(max(1, log(N / M))) comparisons for a key inserted, and
/// O(max(1, log(L / M))) for each of L keys prepended together; O(M) for a batch.
///
/// Inserted keys lie in blocks of up to M keys, each block's keys above those of the blocks before
/// it. A block of more keys is split at its median. The blocks' upper bounds lie in a sorted array
/// rather than a tree: as many comparisons, and an insertion moves O(N / M) of the bounds, which
/// fit the first-level cache. Prepended keys, which are below all others, lie in a stack of blocks
/// in front of those.
///
/// Keys are not deleted but skipped when a batch is taken: `is_current(key)` is false if the key of
/// its vertex has fallen since.
template <class Key>
class PartiallySorted {
 public:
  /// Empties the queue. All keys will be smaller than `bound`.
  void reset(std::size_t batch, const Key& bound) {
    batch_ = batch;
    prepended_.clear();
    starts_.clear();
    for (; first_ < owners_.size(); ++first_) release(owners_[first_]);
    first_ = 0;
    bounds_.assign(1, bound);
    owners_.assign(1, new_block());
  }

  void insert(const Key& key) {
    // The last bound is above every key, so that it need not be compared.
    std::size_t at = first_;
    for (std::size_t size = bounds_.size() - 1 - first_; size > 0;) {
      const std::size_t half = size / 2;
      const bool above = bounds_[at + half] < key;
      at = above ? at + half + 1 : at;
      size = above ? size - half - 1 : half;
    }
    std::vector<Key>& block = blocks_[owners_[at]];
    block.push_back(key);
    if (block.size() > batch_) split(at);
  }

  /// Inserts keys that are all below those in the queue. Changes their order.
  void prepend(std::span<Key> keys) {
    if (keys.empty()) return;
    if (keys.size() <= batch_) {
      prepend_block(keys);
    } else {
      prepend_halves(keys);
    }
  }

  /// Moves the smallest keys, up to M, to `batch` and returns a bound that separates them from the
  /// rest: the least key left, or the bound of the queue if there is none.
  template <class IsCurrent>
  Key pull(std::vector<Key>& batch, const IsCurrent& is_current) {
    batch.clear();
    const std::size_t top = collect_prepended(batch, is_current);
    const std::size_t end = collect_inserted(batch, is_current);
    if (batch.size() <= batch_) {
      prepended_.clear();
      starts_.clear();
      for (; first_ < end - 1; ++first_) release(owners_[first_]);
      blocks_[owners_[first_]].clear();
      return bounds_.back();
    }
    select_rank(batch.data(), batch.data() + batch.size(), batch_);
    const Key least = batch[batch_];
    batch.resize(batch_);
    keep_prepended(top, [&](const Key& key) { return is_current(key) && !(key < least); });
    keep_inserted(end, least);
    return least;
  }

  /// Calls `visit(key)` for all keys, those that would be skipped included.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const Key& key : prepended_) visit(key);
    for (std::size_t at = first_; at < owners_.size(); ++at)
      for (const Key& key : blocks_[owners_[at]]) visit(key);
  }

 private:
  void split(std::size_t at) {
    const std::uint32_t upper = new_block();
    std::vector<Key>& low = blocks_[owners_[at]];
    std::vector<Key>& high = blocks_[upper];
    const std::size_t median = (low.size() - 1) / 2;
    select_rank(low.data(), low.data() + low.size(), median);
    const auto middle = low.begin() + static_cast<std::ptrdiff_t>(median) + 1;
    high.assign(middle, low.end());
    low.erase(middle, low.end());
    const auto place = static_cast<std::ptrdiff_t>(at);
    bounds_.insert(bounds_.begin() + place, low.back());
    owners_.insert(owners_.begin() + place + 1, upper);
  }

  std::uint32_t new_block() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.emplace_back();
    }
    const std::uint32_t block = free_.back();
    free_.pop_back();
    return block;
  }

  void release(std::uint32_t block) {
    blocks_[block].clear();
    free_.push_back(block);
  }

  void prepend_block(std::span<const Key> keys) {
    starts_.push_back(prepended_.size());
    prepended_.insert(prepended_.end(), keys.begin(), keys.end());
  }

  /// Prepends blocks of up to M / 2 keys (rounded up), the smallest last.
  void prepend_halves(std::span<Key> keys) {
    if (keys.size() <= (batch_ + 1) / 2) return prepend_block(keys);
    const std::size_t half = keys.size() / 2;
    select_rank(keys.data(), keys.data() + keys.size(), half);
    prepend_halves(keys.subspan(half));
    prepend_halves(keys.first(half));
  }

  /// Appends the current keys of blocks from the top of the stack, until there are more than M or
  /// no blocks. Drops the others. Returns the number of blocks below those.
  template <class IsCurrent>
  std::size_t collect_prepended(std::vector<Key>& batch, const IsCurrent& is_current) {
    std::size_t top = starts_.size();
    std::size_t end = prepended_.size();
    while (top > 0 && batch.size() <= batch_) {
      const std::size_t start = starts_[--top];
      for (std::size_t i = start; i < end; ++i)
        if (is_current(prepended_[i])) batch.push_back(prepended_[i]);
      end = start;
    }
    return top;
  }

  /// Appends the current keys of the first blocks, until they are more than M or there are no
  /// further blocks. Drops the others. Returns the end of those blocks.
  template <class IsCurrent>
  std::size_t collect_inserted(std::vector<Key>& batch, const IsCurrent& is_current) {
    const std::size_t before = batch.size();
    std::size_t at = first_;
    for (; at < owners_.size() && batch.size() - before <= batch_; ++at) {
      std::vector<Key>& block = blocks_[owners_[at]];
      std::erase_if(block, [&](const Key& key) { return !is_current(key); });
      batch.insert(batch.end(), block.begin(), block.end());
    }
    return at;
  }

  /// Keeps some keys of the blocks from `top` on, and drops blocks that become empty.
  template <class IsKept>
  void keep_prepended(std::size_t top, const IsKept& is_kept) {
    if (top == starts_.size()) return;
    std::size_t to = starts_[top];
    std::size_t from = to;
    std::size_t blocks = top;
    for (std::size_t block = top; block < starts_.size(); ++block) {
      const std::size_t end = block + 1 < starts_.size() ? starts_[block + 1] : prepended_.size();
      const std::size_t start = to;
      for (; from < end; ++from)
        if (is_kept(prepended_[from])) prepended_[to++] = prepended_[from];
      if (to > start) starts_[blocks++] = start;
    }
    starts_.resize(blocks);
    prepended_.resize(to);
  }

  /// Removes the keys below `least` from the blocks before `end`: all of a block whose bound is
  /// less.
  void keep_inserted(std::size_t end, const Key& least) {
    for (; first_ < end && bounds_[first_] < least; ++first_) release(owners_[first_]);
    if (first_ < end)
      std::erase_if(blocks_[owners_[first_]], [&](const Key& key) { return key < least; });
  }

  std::size_t batch_ = 1;                 // M
  std::vector<Key> prepended_;            // the blocks of a stack, the last one is its top
  std::vector<std::size_t> starts_;       // of those blocks
  std::vector<Key> bounds_;               // ascending, of the blocks of inserted keys
  std::vector<std::uint32_t> owners_;     // the block of each bound
  std::size_t first_ = 0;                 // bounds before it belong to no block any more
  std::vector<std::vector<Key>> blocks_;  // in any order
  std::vector<std::uint32_t> free_;       // blocks in no use
};

}  // namespace warpath
