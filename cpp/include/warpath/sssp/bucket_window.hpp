// bucket_window.hpp - buckets of arrays that grow, for searches that store keys apart from labels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "warpath/parallel/control.hpp"
#include "warpath/sssp/bucket_map.hpp"

namespace warpath {

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
