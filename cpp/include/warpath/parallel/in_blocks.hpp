// in_blocks.hpp - sums what is returned for blocks of items, which threads take one after another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Calls body(begin, end) for blocks of `chunk` items, on threads if there are several blocks, and
/// returns the sum of what it returns. Reports the items that are done.
template <class Body>
std::int64_t in_blocks(std::size_t count, std::size_t chunk, int threads, Control& control,
                       const Body& body) {
  const std::size_t blocks = (count + chunk - 1) / chunk;
  if (blocks <= 1) return count == 0 ? 0 : body(std::size_t{0}, count);
  std::atomic<std::size_t> taken{0};
  std::atomic<std::int64_t> total{0};
  control.expect(static_cast<std::int64_t>(count));
  const auto team = static_cast<int>(std::min(blocks, static_cast<std::size_t>(threads)));
  run_open_team(team, control, [&](int rank) {
    Poller poller(control, rank == 0);
    for (std::size_t at; (at = taken.fetch_add(chunk, std::memory_order_relaxed)) < count;) {
      const std::size_t end = std::min(at + chunk, count);
      total.fetch_add(body(at, end), std::memory_order_relaxed);
      control.advance(static_cast<std::int64_t>(end - at));
      poller.step(static_cast<std::int64_t>(chunk));
    }
  });
  return total.load();
}

}  // namespace warpath
