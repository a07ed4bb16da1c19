// random.hpp - random numbers as functions of (seed, stream, counter), equal on all machines.
#pragma once

#include <cstdint>
#include <type_traits>

namespace warpath {

/// The finalizer of SplitMix64: a bijection of 64 bits in which every input bit affects every
/// output bit. Source: Steele, Lea, Flood, OOPSLA 2014; constants of Stafford's variant 13.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// The streams of one seed: numbers drawn for one purpose are independent of other purposes' use.
enum class Purpose : std::uint64_t { kWeight = 1, kVertex, kLink, kKeep, kPoint, kRewire, kRename };

/// SplitMix64 with random access by position, so that any thread may draw any number. Integers
/// only: no library distributions and no libm, whose results differ between platforms.
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, Purpose purpose)
      : key_(mix(mix(seed + kStep) ^ (static_cast<std::uint64_t>(purpose) * kStep))) {}

  /// 64 random bits.
  constexpr std::uint64_t bits(std::uint64_t counter) const { return mix(key_ + counter * kStep); }

  /// A number in [0, limit), limit > 0. The bias of the multiplication is below limit / 2^64.
  constexpr std::uint64_t below(std::uint64_t counter, std::uint64_t limit) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(counter)) * limit) >>
                                      64);
  }

  /// True with probability threshold / 2^53.
  constexpr bool chance(std::uint64_t counter, std::uint64_t threshold) const {
    return (bits(counter) >> 11) < threshold;
  }

  /// A multiple of 2^-53 in [0, 1).
  constexpr double unit(std::uint64_t counter) const {
    return static_cast<double>(bits(counter) >> 11) * 0x1p-53;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio, odd
  std::uint64_t key_;
};

/// A pseudorandom bijection of [0, 2^bits): odd multiplications, and shifts that fold each half
/// onto the other.
class Renaming {
 public:
  Renaming(std::uint64_t seed, int bits)
      : draws_(seed, Purpose::kRename),
        shift_((bits + 1) / 2),
        mask_((std::uint64_t{1} << bits) - 1) {
    for (int round = 0; round < kRounds; ++round) {
      factor_[round] = draws_.bits(2 * static_cast<std::uint64_t>(round)) | 1;
      offset_[round] = draws_.bits(2 * static_cast<std::uint64_t>(round) + 1);
    }
  }

  std::uint64_t operator()(std::uint64_t x) const {
    for (int round = 0; round < kRounds; ++round) {
      x = (x * factor_[round] + offset_[round]) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  static constexpr int kRounds = 3;
  Draws draws_;
  int shift_;
  std::uint64_t mask_;
  std::uint64_t factor_[kRounds];
  std::uint64_t offset_[kRounds];
};

}  // namespace warpath
