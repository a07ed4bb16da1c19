// spread_labels.hpp - labels that a team makes distances of, in the answer's memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "warpath/types.hpp"

namespace warpath {

/// A rank's part of the numbers from `from` to `to`; bounds lie 64 numbers apart.
inline std::pair<std::int64_t, std::int64_t> part_of(int rank, int threads, std::int64_t from,
                                                     std::int64_t to) {
  const auto bound = [&](std::int64_t at) { return from + (to - from) * at / threads / 64 * 64; };
  return {bound(rank), rank + 1 == threads ? to : bound(rank + 1)};
}

/// Makes n labels, which lie at the end of the memory of n distances, those distances; each rank of
/// a team has a Spread and calls `write`.
template <class L>
struct Spread {
  L largest = 0;             // of the labels that this rank saw
  std::int64_t reached = 0;  // those less than the first label

  /// Labels half as wide fill the upper half: to write half of the vertices that are left touches
  /// none of their labels, so that the threads share it and wait() for each other.
  template <class Out, class Wait>
  void write(const L* labels, Out* out, std::int64_t n, L first, int rank, int threads,
             Wait&& wait) {
    static_assert(sizeof(L) == sizeof(Out) || 2 * sizeof(L) == sizeof(Out));
    if constexpr (sizeof(L) == sizeof(Out)) {
      const auto [begin, end] = part_of(rank, threads, 0, n);
      write_part(labels, out, begin, end, first);
    } else {
      std::int64_t from = 0;
      while (n - from > kAlone) {
        const std::int64_t half = from + (n - from) / 2;
        const auto [begin, end] = part_of(rank, threads, from, half);
        write_part(labels, out, begin, end, first);
        from = half;
        wait();
      }
      if (rank == 0) write_part(labels, out, from, n, first);
    }
  }

 private:
  static constexpr std::int64_t kAlone = 1
                                         << 13;  // labels that are written while others would wait

  template <class Out>
  void write_part(const L* labels, Out* out, std::int64_t begin, std::int64_t end, L first) {
    L most = largest;
    std::int64_t met_here = 0;
    for (std::int64_t v = begin; v < end; ++v) {
      const L label = labels[v];
      const bool met = label != first;
      met_here += met;
      most = std::max(most, met ? label : L{0});
      const Out distance = met ? static_cast<Out>(label) : unreachable<Out>;
      std::memcpy(out + v, &distance, sizeof distance);  // over labels, which are of another type
    }
    largest = most;
    reached += met_here;
  }
};

}  // namespace warpath
