// bucket_map.hpp - which bucket a label belongs to, and which buckets are not empty.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

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

}  // namespace warpath
