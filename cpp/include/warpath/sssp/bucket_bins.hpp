// bucket_bins.hpp - one thread's buckets of vertices: in blocks of 1 KiB, or in growing arrays.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "warpath/parallel/control.hpp"

namespace warpath {

/// The number of buckets in the window, and the index of the far pile behind them.
constexpr int kBuckets = 1024;

/// Maps labels to kBuckets buckets of equal width from a base on, the window. Larger labels belong
/// to the far pile. Integer widths are powers of two, so that a label's bucket is a shift.
template <class Key>
class BucketMap {
  static constexpr bool kIntegral = std::is_integral_v<Key>;

 public:
  /// Buckets of width `delta`, rounded down to a power of two for integers.
  explicit BucketMap(double delta) {
    if constexpr (kIntegral) {
      const double most = std::min(delta, static_cast<double>(std::numeric_limits<Key>::max() / 2));
      shift_ =
          static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(most, 1.0)))) - 1;
    } else {
      const auto most = static_cast<double>(std::numeric_limits<Key>::max());
      per_delta_ = static_cast<Key>(std::min(1 / delta, most));
    }
  }

  /// The bucket of a key; monotone. The key must be at least the base.
  int bucket_of(Key key) const {
    if constexpr (kIntegral) {
      const auto at = static_cast<Key>(key - base_) >> shift_;
      return at < kBuckets ? static_cast<int>(at) : kBuckets;
    } else {
      const Key at = (key - base_) * per_delta_;
      return at < kBuckets ? static_cast<int>(at) : kBuckets;
    }
  }

  /// Whether the key lies before the bucket.
  bool passed(Key key, int bucket) const { return key < base_ || bucket_of(key) < bucket; }

  bool holds(int bucket, Key key) const { return key >= base_ && bucket_of(key) == bucket; }

  /// A lower bound on the keys of a bucket of the window.
  Key start_of(int bucket) const {
    if constexpr (kIntegral)
      return static_cast<Key>(base_ + (static_cast<Key>(bucket) << shift_));
    else
      return base_;
  }

  /// Moves the window to `smallest`, the smallest key of a far pile of `entries`, of which `freed`
  /// left since the last move. If that was less than 1 / kThin of the pile, the width was too small
  /// for these weights and grows eightfold, so that all moves together visit O(n log(largest /
  /// smallest key)) entries.
  void move(Key smallest, std::size_t entries, std::size_t freed) {
    if (freed * kThin < entries_) widen();
    entries_ = entries;
    base_ = smallest;
  }

 private:
  static constexpr std::size_t kThin = 64;

  void widen() {
    if constexpr (kIntegral)
      shift_ = std::min(shift_ + 3, std::numeric_limits<Key>::digits - 1);
    else
      per_delta_ /= 8;
  }

  Key base_ = 0;
  int shift_ = 0;
  Key per_delta_ = 1;
  std::size_t entries_ = 0;  // of the far pile at the last move
};

/// A bit for each bucket of the window that is not empty. The bit of the far pile is never read.
class NonemptyBuckets {
 public:
  void set(int bucket) { word(bucket) |= bit(bucket); }
  void clear(int bucket) { word(bucket) &= ~bit(bucket); }

  /// The first nonempty bucket from `from` on; kBuckets if there is none.
  int next(int from) const {
    if (from >= kBuckets) return kBuckets;
    auto at = static_cast<std::size_t>(from) / 64;
    std::uint64_t bits = words_[at] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0)
      if (++at == kWords)
        return kBuckets;
      else
        bits = words_[at];
    return static_cast<int>(at * 64) + std::countr_zero(bits);
  }

 private:
  static constexpr std::size_t kWords = kBuckets / 64;

  std::uint64_t& word(int bucket) { return words_[static_cast<std::size_t>(bucket) / 64]; }
  static std::uint64_t bit(int bucket) { return std::uint64_t{1} << (bucket % 64); }

  std::array<std::uint64_t, kWords + 1> words_{};
};

/// A kilobyte of vertices, aligned to its size: the low bits of a pointer past an entry show
/// whether the block is full, and the low bits of a pointer to a block are free for other data.
template <class V>
struct alignas(1024) Block {
  static constexpr std::size_t kBytes = 1024;
  static constexpr std::size_t kEntries = (kBytes - sizeof(void*)) / sizeof(V);

  Block* next;
  V entries[kEntries];

  static bool at_end(const V* entry) {
    return reinterpret_cast<std::uintptr_t>(entry) % kBytes == 0;
  }
  /// The block that contains the entry before a pointer.
  static Block* before(V* entry) {
    return reinterpret_cast<Block*>(reinterpret_cast<char*>(entry) -
                                    ((reinterpret_cast<std::uintptr_t>(entry) - 1) % kBytes + 1));
  }
};

/// One thread's free blocks and its slabs (arrays of blocks). A block may be freed into the pool of
/// another thread.
template <class V>
class BlockPool {
 public:
  Block<V>* take() {
    if (spare_ == nullptr) more();
    Block<V>* block = spare_;
    spare_ = block->next;
    block->next = nullptr;
    return block;
  }

  void give(Block<V>* block) {
    block->next = spare_;
    spare_ = block;
  }

  /// Frees the slabs, including blocks that are in use elsewhere.
  void release() {
    slabs_.clear();
    size_ = kFirst;
    spare_ = nullptr;
  }

 private:
  static constexpr std::size_t kFirst = 8;
  static constexpr std::size_t kMost = 256;

  void more() {
    slabs_.push_back(std::make_unique_for_overwrite<Block<V>[]>(size_));
    for (std::size_t i = size_; i-- > 0;) give(&slabs_.back()[i]);
    size_ = std::min(size_ * 2, kMost);
  }

  std::vector<std::unique_ptr<Block<V>[]>> slabs_;
  std::size_t size_ = kFirst;
  Block<V>* spare_ = nullptr;
};

/// One thread's vertices by bucket, and its far pile; each is a first-in first-out queue.
///
/// An entry is a vertex number only. The reader checks the vertex's label when its bucket's turn
/// comes, which reveals stale entries.
template <class V>
class BlockBuckets {
 public:
  void put(int bucket, V v) {
    V*& tail = tails_[static_cast<std::size_t>(bucket)];
    if (Block<V>::at_end(tail)) [[unlikely]]
      tail = extend_bucket(bucket);
    *tail++ = v;
  }

  /// Puts a vertex if `wanted`, without a branch on that: it is written past the end in any case,
  /// and the end advances or not.
  void put_if(bool wanted, int bucket, V v) {
    V*& tail = tails_[static_cast<std::size_t>(bucket)];
    if (Block<V>::at_end(tail)) [[unlikely]] {
      if (!wanted) return;
      tail = extend_bucket(bucket);
    }
    *tail = v;
    tail += wanted;
  }

  /// Takes the first entry of a bucket; false if it is empty. Only one bucket at a time may be
  /// read, from its first `pop` to `close`; entries put there meanwhile come last.
  bool pop(int bucket, V& v) {
    V* const tail = tails_[static_cast<std::size_t>(bucket)];
    if (read_ == tail) return false;
    if (Block<V>::at_end(read_)) [[unlikely]]
      read_ = next_block(bucket);
    v = *read_++;
    return true;
  }

  /// How many entries of the bucket that is being read remain in its current block.
  std::size_t at_hand(int bucket) const {
    if (read_ == nullptr || Block<V>::at_end(read_)) return 0;
    V* const tail = tails_[static_cast<std::size_t>(bucket)];
    const Block<V>* block = Block<V>::before(read_);
    const V* end = block == Block<V>::before(tail) ? tail : block->entries + Block<V>::kEntries;
    return static_cast<std::size_t>(end - read_);
  }

  /// Ends the reading of a bucket, which must be empty.
  void close(int bucket) {
    if (read_ != nullptr) pool_.give(Block<V>::before(read_));
    read_ = nullptr;
    unlink(bucket);
  }

  /// Empties a bucket that is not being read and passes each of its blocks to `use(block,
  /// entries)`, which owns the block from then on and may put entries into any bucket.
  template <class Use>
  void detach(int bucket, Use&& use) {
    const auto at = static_cast<std::size_t>(bucket);
    if (tails_[at] == nullptr) return;
    Block<V>* const last = Block<V>::before(tails_[at]);
    const auto rest = static_cast<std::size_t>(tails_[at] - last->entries);
    Block<V>* block = heads_[at];
    unlink(bucket);
    while (block != nullptr) {
      Block<V>* const next = block->next;
      use(block, block == last ? rest : Block<V>::kEntries);
      block = next;
    }
  }

  /// The first nonempty bucket of the window from `from` on; kBuckets if there is none.
  int next(int from) const { return nonempty_.next(from); }

  /// Empties all buckets and the far pile.
  void clear() {
    const auto free = [this](Block<V>* block, std::size_t) { pool_.give(block); };
    for (int bucket = 0; (bucket = next(bucket)) < kBuckets;) detach(bucket, free);
    detach(kBuckets, free);
  }

  BlockPool<V>& pool() { return pool_; }

 private:
  V* extend_bucket(int bucket) {
    const auto at = static_cast<std::size_t>(bucket);
    Block<V>* const block = pool_.take();
    if (tails_[at] != nullptr) {
      Block<V>::before(tails_[at])->next = block;
    } else {
      heads_[at] = block;
      nonempty_.set(bucket);
    }
    return block->entries;
  }

  /// The first entry after a block that was read to its end.
  V* next_block(int bucket) {
    if (read_ == nullptr) return heads_[static_cast<std::size_t>(bucket)]->entries;
    Block<V>* const done = Block<V>::before(read_);
    V* const entries = done->next->entries;
    pool_.give(done);
    return entries;
  }

  void unlink(int bucket) {
    const auto at = static_cast<std::size_t>(bucket);
    heads_[at] = nullptr;
    tails_[at] = nullptr;
    nonempty_.clear(bucket);
  }

  std::array<V*, kBuckets + 1> tails_{};  // where each bucket's next entry goes
  std::array<Block<V>*, kBuckets + 1> heads_{};
  NonemptyBuckets nonempty_;
  V* read_ = nullptr;  // the next entry of the bucket that is being read
  BlockPool<V> pool_;
};

/// One thread's vertices by key, in the buckets of a BucketMap and a far pile behind them.
///
/// An entry is a vertex number only: its key is read when its bucket's turn comes, which reveals
/// stale entries. A bucket keeps its memory for the next search.
template <class Key, class V>
class VectorBuckets {
 public:
  using Pile = std::vector<V>;

  explicit VectorBuckets(double delta) : initial_(delta), map_(delta) {}

  /// Empties the buckets and moves the window to 0.
  void start() {
    for (int b = 0; (b = next(b)) < kBuckets; ++b) take(b).clear();
    piles_[kBuckets].clear();
    map_ = initial_;
    freed_ = 0;
  }

  const BucketMap<Key>& map() const { return map_; }

  void put(int bucket, V v) {
    piles_[static_cast<std::size_t>(bucket)].push_back(v);
    nonempty_.set(bucket);
  }

  /// The first nonempty bucket of the window from `from` on; kBuckets if there is none.
  int next(int from) const { return nonempty_.next(from); }

  /// The number of moves of the window, over all searches.
  std::int64_t moves() const { return moves_; }

  /// The bucket's entries, which the caller must clear or swap out before later puts.
  Pile& take(int bucket) {
    nonempty_.clear(bucket);
    return piles_[static_cast<std::size_t>(bucket)];
  }

  /// Moves an empty window to the far pile. `key_of(v)` is the key of v, which is before the far
  /// pile if the entry is stale. False if nothing remains.
  template <class KeyOf>
  bool move(KeyOf&& key_of, Poller& poller) {
    Pile& pile = piles_[kBuckets];
    Key smallest = std::numeric_limits<Key>::max();
    std::size_t left = 0;
    for (const V v : pile) {
      poller.step();
      const Key key = key_of(v);
      if (map_.passed(key, kBuckets)) continue;
      smallest = std::min(smallest, key);
      pile[left++] = v;
    }
    pile.resize(left);
    if (left == 0) return false;
    map_.move(smallest, left, freed_);
    left = 0;
    for (const V v : pile) {
      poller.step();
      const int bucket = map_.bucket_of(key_of(v));
      if (bucket == kBuckets)
        pile[left++] = v;
      else
        put(bucket, v);
    }
    freed_ = pile.size() - left;
    pile.resize(left);
    ++moves_;
    return true;
  }

 private:
  const BucketMap<Key> initial_;
  BucketMap<Key> map_;
  std::array<Pile, kBuckets + 1> piles_;
  NonemptyBuckets nonempty_;
  std::int64_t moves_ = 0;
  std::size_t freed_ = 0;  // entries that the last move took from the far pile
};

}  // namespace warpath
