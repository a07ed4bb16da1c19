// minimum_label.hpp - the smallest label of unsettled vertices, per block, with SIMD instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/flags.hpp"

namespace warpath {

/// Vertices per block whose smallest label is computed: 8 KiB of 64-bit labels.
constexpr std::size_t kMinimumBlock = 1024;

constexpr std::size_t minimum_blocks(std::size_t n) {
  return (n + kMinimumBlock - 1) / kMinimumBlock;
}

/// The smallest of `count` labels whose vertices are unsettled; unreachable if there is none.
///
/// 64 flags are tested as words first. If none is set, the labels are not read; if all are set, no
/// flag has to be expanded to a lane; otherwise the flags mask the labels.
template <class D, int kBytes>
[[gnu::always_inline]] inline D minimum_label(const D* dist, const std::uint8_t* unsettled,
                                              std::size_t count) {
  using Lane = std::conditional_t<sizeof(D) == 8, std::int64_t, std::int32_t>;
  constexpr std::size_t kLanes = kBytes / sizeof(D);
  typedef D Vector __attribute__((vector_size(kBytes)));
  typedef D Memory __attribute__((vector_size(kBytes), aligned(alignof(D)), may_alias));
  typedef Lane Mask __attribute__((vector_size(kBytes)));
  typedef std::uint8_t Bytes __attribute__((vector_size(kLanes)));
  const Vector none = Vector{} + unreachable<D>;
  Vector best = none;
  Vector other = none;  // a second chain of minima hides the latency of the first
  std::size_t v = 0;
  for (; v + kFlagBlock <= count; v += kFlagBlock) {
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
    for (std::size_t word = 0; word < kFlagBlock; word += 8) {
      any |= flag_word(unsettled + v + word);
      all &= flag_word(unsettled + v + word);
    }
    if (any == 0) continue;
    if (all == 0x0101010101010101) {
      for (std::size_t lane = 0; lane < kFlagBlock; lane += 2 * kLanes) {
        const Vector one = *reinterpret_cast<const Memory*>(dist + v + lane);
        const Vector two = *reinterpret_cast<const Memory*>(dist + v + lane + kLanes);
        best = one < best ? one : best;
        other = two < other ? two : other;
      }
      continue;
    }
    for (std::size_t lane = 0; lane < kFlagBlock; lane += kLanes) {
      Bytes flags;
      std::memcpy(&flags, unsettled + v + lane, sizeof flags);
      const Mask counts = __builtin_convertvector(flags, Mask) != 0;
      const Vector label = *reinterpret_cast<const Memory*>(dist + v + lane);
      const Vector one = counts ? label : none;
      best = one < best ? one : best;
    }
  }
  D smallest = unreachable<D>;
  for (; v < count; ++v)
    if (unsettled[v]) smallest = std::min(dist[v], smallest);
  best = other < best ? other : best;
  for (std::size_t lane = 0; lane < kLanes; ++lane) smallest = std::min(best[lane], smallest);
  return smallest;
}

template <class D, int kBytes>
[[gnu::always_inline]] inline void minimum_labels(const D* dist, const std::uint8_t* unsettled,
                                                  std::size_t n, D* smallest) {
  for (std::size_t begin = 0; begin < n; begin += kMinimumBlock)
    *smallest++ = minimum_label<D, kBytes>(dist + begin, unsettled + begin,
                                           std::min(kMinimumBlock, n - begin));
}

/// Writes the smallest label of each block of kMinimumBlock vertices.
template <class D>
using MinimumKernel = void (*)(const D* dist, const std::uint8_t* unsettled, std::size_t n,
                               D* smallest);

template <class D>
void minimum_default(const D* dist, const std::uint8_t* unsettled, std::size_t n, D* smallest) {
  minimum_labels<D, 16>(dist, unsettled, n, smallest);
}

#if defined(__x86_64__)
template <class D>
[[gnu::target("avx2")]] void minimum_avx2(const D* dist, const std::uint8_t* unsettled,
                                          std::size_t n, D* smallest) {
  minimum_labels<D, 32>(dist, unsettled, n, smallest);
}
template <class D>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]] void minimum_avx512(
    const D* dist, const std::uint8_t* unsettled, std::size_t n, D* smallest) {
  minimum_labels<D, 64>(dist, unsettled, n, smallest);
}
#endif

/// The kernel for the widest vectors that this processor supports, up to `bytes`.
template <class D>
MinimumKernel<D> minimum_kernel([[maybe_unused]] int bytes) {
#if defined(__x86_64__)
  if (bytes >= 64 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return minimum_avx512<D>;
  if (bytes >= 32 && __builtin_cpu_supports("avx2")) return minimum_avx2<D>;
#endif
  return minimum_default<D>;
}

}  // namespace warpath
