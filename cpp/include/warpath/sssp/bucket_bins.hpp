// bucket_bins.hpp - one thread's buckets: queues of 1 KiB blocks that are reused while in cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/sssp/bucket_map.hpp"

namespace warpath {

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

}  // namespace warpath
