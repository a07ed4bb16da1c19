// peak.hpp - the peak rate of min-plus operations of a core, with all operands in registers.
#pragma once

#include <cstdint>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Performs `steps` times kSide^2 sums and as many minima on vectors of kBytes, in registers only.
///
/// The sums are those of a tile of a min-plus product: kSide left factors, which the compiler must
/// assume to change in each step, with kSide right factors.
template <class T, int kBytes, int kSide>
[[gnu::always_inline]] inline T add_and_minimise(std::int64_t steps) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  Vector best[kSide * kSide];
  Vector left[kSide];
  Vector right[kSide];
#pragma GCC unroll 16
  for (int i = 0; i < kSide * kSide; ++i) best[i] = Vector{} + static_cast<T>(100 + i);
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i) {
    left[i] = Vector{} + static_cast<T>(i);
    right[i] = Vector{} + static_cast<T>(i + 1);
  }
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
#if defined(__x86_64__)
      asm volatile("" : "+v"(left[i]));
#else
      asm volatile("" : "+w"(left[i]));
#endif
#pragma GCC unroll 16
      for (int j = 0; j < kSide; ++j) {
        const Vector sum = left[i] + right[j];
        Vector& smallest = best[i * kSide + j];
        smallest = sum < smallest ? sum : smallest;
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 1; i < kSide * kSide; ++i) best[0] = best[i] < best[0] ? best[i] : best[0];
  return best[0][0];
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512"),
  gnu::noinline]] T peak_avx512(std::int64_t steps) {
  return add_and_minimise<T, 64, 4>(steps);
}
template <class T>
[[gnu::target("avx2"), gnu::noinline]] T peak_avx2(std::int64_t steps) {
  return add_and_minimise<T, 32, 3>(steps);
}
#endif
template <class T>
[[gnu::noinline]] T peak_default(std::int64_t steps) {
  return add_and_minimise<T, 16, 3>(steps);
}

/// Runs sums and minima on vectors of that many bytes, `steps` times on each thread. Returns the
/// number of operations: a sum and a minimum count 2, as in a min-plus product.
template <class T>
std::int64_t add_min_peak(T* kept, std::int64_t steps, int threads, int bytes, Control& control) {
  T (*loop)(std::int64_t) = peak_default<T>;
  std::int64_t lanes = 9 * 16 / static_cast<std::int64_t>(sizeof(T));
#if defined(__x86_64__)
  if (bytes == 64) {
    loop = peak_avx512<T>;
    lanes = 16 * 64 / static_cast<std::int64_t>(sizeof(T));
  } else if (bytes == 32) {
    loop = peak_avx2<T>;
    lanes = 9 * 32 / static_cast<std::int64_t>(sizeof(T));
  }
#else
  (void)bytes;
#endif
  run_team(threads, control, [&](int rank) {
    const T smallest = loop(steps);
    if (rank == 0) *kept = smallest;
  });
  return 2 * lanes * steps * threads;
}

}  // namespace warpath
