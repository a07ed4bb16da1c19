// bucket_window.hpp - one thread's reusable buckets: a window of equal widths, and a far pile.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/parallel/control.hpp"

namespace warpath {

/// Vertices by key, in kFar buckets of equal width from a base on, and a far pile behind them.
///
/// An entry is a vertex number only: its key is read when its bucket's turn comes, which reveals
/// stale entries. When the window is empty, it moves to the smallest key of the pile. If that takes
/// less than 1 / kThin of the pile, the width was too small for these weights and grows eightfold,
/// so that all visits of the pile cost O(n log(largest / smallest key)). Integer widths are powers
/// of two. A bucket keeps its memory for the next search.
template <class Key, class V>
class BucketWindow {
  static constexpr bool kIntegral = std::is_integral_v<Key>;

 public:
  static constexpr int kFar = 1024;  // the number of buckets, and the index of the far pile
  using Pile = std::vector<V>;

  /// Buckets of width `delta`, rounded down to a power of two for integers.
  explicit BucketWindow(double delta) {
    if constexpr (kIntegral) {
      const double most = std::min(delta, static_cast<double>(std::numeric_limits<Key>::max() / 2));
      first_shift_ =
          static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(most, 1.0)))) - 1;
    } else {
      first_per_delta_ = std::min(1 / delta, std::numeric_limits<double>::max());
    }
    start();
  }

  /// Empties the buckets and moves the window to 0.
  void start() {
    for (int b = 0; (b = next(b)) < kFar; ++b) take(b).clear();
    piles_[kFar].clear();
    base_ = 0;
    shift_ = first_shift_;
    per_delta_ = first_per_delta_;
    before_ = freed_ = 0;
  }

  /// The bucket of a key; monotone. kFar beyond the window. The key must not lie before the window.
  int bucket_of(Key key) const {
    if constexpr (kIntegral) {
      const auto at = static_cast<Key>(key - base_) >> shift_;
      return at < kFar ? static_cast<int>(at) : kFar;
    } else {
      const double at = (static_cast<double>(key) - static_cast<double>(base_)) * per_delta_;
      return at < kFar ? static_cast<int>(at) : kFar;
    }
  }

  /// Whether the key lies before bucket `current`.
  bool passed(Key key, int current) const { return key < base_ || bucket_of(key) < current; }

  /// A lower bound on the keys of a bucket of the window.
  Key start_of(int bucket) const {
    if constexpr (kIntegral)
      return static_cast<Key>(base_ + (static_cast<Key>(bucket) << shift_));
    else
      return base_;
  }

  /// Whether a key, which is in the window or beyond it, belongs to a bucket.
  bool holds(int bucket, Key key) const { return key >= base_ && bucket_of(key) == bucket; }

  void put(int bucket, V v) {
    const auto at = static_cast<std::size_t>(bucket);
    piles_[at].push_back(v);
    filled_[at / 64] |= std::uint64_t{1} << (at % 64);  // the far pile's bit is never read
  }

  /// The first nonempty bucket from `from` on; kFar if there is none.
  int next(int from) const {
    if (from >= kFar) return kFar;
    auto word = static_cast<std::size_t>(from) / 64;
    std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0)
      if (++word == kWords)
        return kFar;
      else
        bits = filled_[word];
    return static_cast<int>(word * 64) + std::countr_zero(bits);
  }

  /// The number of moves of the window, over all searches.
  std::int64_t moves() const { return moves_; }

  /// The bucket's entries, which the caller must clear or swap out before later puts.
  Pile& take(int bucket) {
    const auto at = static_cast<std::size_t>(bucket);
    filled_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    return piles_[at];
  }

  /// Moves an empty window to the far pile. `key_of(v)` is the key of v, which is before the far
  /// pile if the entry is stale. False if nothing remains.
  template <class KeyOf>
  bool move(KeyOf&& key_of, Poller& poller) {
    Pile& pile = piles_[kFar];
    Key least = std::numeric_limits<Key>::max();
    std::size_t kept = 0;
    for (const V v : pile) {
      poller.step();
      const Key key = key_of(v);
      if (passed(key, kFar)) continue;
      least = std::min(least, key);
      pile[kept++] = v;
    }
    pile.resize(kept);
    if (kept == 0) return false;
    if (freed_ * kThin < before_) widen();
    before_ = kept;
    base_ = least;
    kept = 0;
    for (const V v : pile) {
      poller.step();
      const int bucket = bucket_of(key_of(v));
      if (bucket == kFar)
        pile[kept++] = v;
      else
        put(bucket, v);
    }
    pile.resize(kept);
    freed_ = before_ - kept;
    ++moves_;
    return true;
  }

 private:
  static constexpr std::size_t kWords = kFar / 64;
  static constexpr std::size_t kThin = 64;  // a move should take 1 / kThin of the pile
  static constexpr int kWiden = 3;          // log2 of the factor by which the width grows

  void widen() {
    if constexpr (kIntegral)
      shift_ = std::min(shift_ + kWiden, std::numeric_limits<Key>::digits - 1);
    else
      per_delta_ /= 1 << kWiden;
  }

  std::array<Pile, kFar + 1> piles_;
  std::array<std::uint64_t, kWords + 1> filled_{};
  Key base_ = 0;
  int first_shift_ = 0;
  int shift_ = 0;
  double first_per_delta_ = 1;
  double per_delta_ = 1;
  std::int64_t moves_ = 0;
  std::size_t before_ = 0;  // entries of the pile at the last move
  std::size_t freed_ = 0;   // how many of these the move took into the window
};

}  // namespace warpath
