// ordered_sums.hpp - sums over many items on threads, with the same bits for any number of threads.
//
// Items form groups, whose size does not depend on the number of threads. A thread adds the items
// of a group, in their order, to sums of its own, and waits until the sums of all earlier groups
// were added to the total. Memory  a copy of the sums for each thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Calls add(item, sums) of what make(poller) returns, one for each thread, for each item in
/// 0 .. items - 1. Adds all sums to `total`. A group has at most `most` items, which should take
/// well under a minute, and much longer than to add up the sums.
template <class Make>
void sum_in_order(std::size_t items, std::span<double> total, int threads, Control& control,
                  const Make& make, std::size_t most = 64) {
  constexpr std::size_t kGroups = 64;
  const std::size_t size =
      std::clamp<std::size_t>(items / kGroups, 1, std::max<std::size_t>(most, 1));
  const std::size_t groups = (items + size - 1) / size;
  const auto team =
      static_cast<int>(std::min<std::size_t>(groups, static_cast<std::size_t>(threads)));
  std::atomic<std::size_t> taken{0}, added{0};
  run_open_team(team, control, [&](int rank) {
    std::size_t group = taken.fetch_add(1, std::memory_order_relaxed);
    if (group >= groups) return;
    Poller poller(control, rank == 0);
    PageArray<double> sums(total.size(), 0.0);
    auto add = make(poller);
    for (; group < groups; group = taken.fetch_add(1, std::memory_order_relaxed)) {
      for (std::size_t item = group * size; item < std::min(items, (group + 1) * size); ++item)
        add(item, std::span(sums.data(), sums.size()));
      while (added.load(std::memory_order_acquire) != group) {
        poller.check();
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      for (std::size_t i = 0; i < total.size(); ++i) {
        total[i] += sums[i];
        sums[i] = 0;
      }
      added.store(group + 1, std::memory_order_release);
    }
  });
}

}  // namespace warpath
