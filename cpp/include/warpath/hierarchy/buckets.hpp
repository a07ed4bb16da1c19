// buckets.hpp - tables by searches upward that meet in buckets at the positions between them.
//
// A search upward from each target leaves (target, label) in the bucket of every position that it
// reaches. A search upward from each source then scans the buckets on its way. A search from either
// end visits a few hundred positions, so that small tables take less than sweeps do.
//
// Work    a search for each source and target, and the buckets' entries for each source:
//         O(sources * targets) where all searches meet at the top.
// Memory  8 to 16 bytes for each position that a target's search reaches, 4 for each vertex, and
//         labels of two searches for each thread.
// Source  Knopp, Sanders, Schultes, Schulz, Wagner, "Computing many-to-many shortest paths using
//         highway hierarchies", 2007.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/search_space.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The buckets of all positions. Those of a position are contiguous.
template <Weight W>
class Buckets {
 public:
  using L = HierarchyLabel<W>;

  struct Entry {
    std::int32_t column;
    L label;
  };

  /// An entry and its position.
  struct Deposit {
    Position position;
    Entry entry;
  };

  /// Each list has deposits of some columns. `slots` has no number; it is used, and emptied at the
  /// end.
  Buckets(std::span<const std::vector<Deposit>> lists, PositionNumbers& slots) : slots_(slots) {
    for (const std::vector<Deposit>& list : lists) {
      for (const Deposit& deposit : list) {
        Position& slot = slots_[deposit.position];
        if (slot == PositionNumbers::kNone) {
          slot = static_cast<Position>(first_.size());
          first_.push_back(0);
          used_.push_back(deposit.position);
        }
        ++first_[static_cast<std::size_t>(slot)];
      }
    }
    std::size_t total = 0;
    for (std::size_t& first : first_) first = (total += first);  // their ends, moved down below
    entries_.resize(total);
    for (const std::vector<Deposit>& list : lists)
      for (const Deposit& deposit : list)
        entries_[--first_[static_cast<std::size_t>(slots_[deposit.position])]] = deposit.entry;
    first_.push_back(total);
  }
  ~Buckets() {
    for (const Position x : used_) slots_[x] = PositionNumbers::kNone;
  }
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;

  std::span<const Entry> at(Position x) const {
    const Position slot = std::as_const(slots_)[x];
    if (slot == PositionNumbers::kNone) return {};
    const auto s = static_cast<std::size_t>(slot);
    return std::span(entries_).subspan(first_[s], first_[s + 1] - first_[s]);
  }

 private:
  PositionNumbers& slots_;
  std::vector<Position> used_;      // positions with a slot
  std::vector<std::size_t> first_;  // of each slot: the first of its entries
  std::vector<Entry> entries_;
};

/// Distances from each source to each target into `out`, which has a row for each source and a
/// column for each target.
template <Weight W, class Out>
class BucketTable {
 public:
  BucketTable(const Hierarchy<W>& hierarchy, SearchSpace<W>& space,
              std::span<const std::int64_t> sources, std::span<const std::int64_t> targets,
              std::span<Out> out)
      : hierarchy_(hierarchy), space_(space), sources_(sources), targets_(targets), out_(out) {}

  /// Called once. Returns what was done.
  HierarchyCounts fill(int threads, Control& control) {
    if (sources_.empty() || targets_.empty()) return counts_;
    std::vector<std::vector<Deposit>> deposits(static_cast<std::size_t>(threads));
    control.expect(static_cast<std::int64_t>(targets_.size() + sources_.size()));
    each(targets_.size(), threads, control, [&](int rank, UpwardLabels<W>& search, Poller& poller) {
      std::vector<Deposit>& own = deposits[static_cast<std::size_t>(rank)];
      return [&](std::size_t column) { deposit(search, column, own, poller); };
    });
    space_.numbers.with([&](PositionNumbers& slots) {
      const Buckets<W> buckets(deposits, slots);
      each(sources_.size(), threads, control, [&](int, UpwardLabels<W>& search, Poller& poller) {
        return [&, labels = std::vector<L>(targets_.size())](std::size_t row) mutable {
          scan(search, buckets, row, labels, poller);
        };
      });
    });
    return counts_;
  }

 private:
  using L = HierarchyLabel<W>;
  using Deposit = typename Buckets<W>::Deposit;

  /// Calls make(rank, search, poller)(i) for all i below `count`, on threads.
  template <class Make>
  void each(std::size_t count, int threads, Control& control, const Make& make) {
    std::atomic<std::size_t> next{0};
    run_open_team(threads, control, [&](int rank) {
      Poller poller(control, rank == 0);
      space_.upward.with([&](UpwardLabels<W>& search) {
        search.take_counts();  // of earlier calls
        auto&& body = make(rank, search, poller);
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
          body(i);
          control.advance(1);
        }
        const std::scoped_lock lock(adding_);
        counts_ += search.take_counts();
      });
    });
  }

  void deposit(UpwardLabels<W>& search, std::size_t column, std::vector<Deposit>& deposits,
               Poller& poller) {
    search.search(
        hierarchy_.down(), hierarchy_.up(), hierarchy_.position(targets_[column]),
        [](Position, L) { return true; },
        [&](Position x, L label) {
          deposits.push_back({x, {static_cast<std::int32_t>(column), label}});
        });
    poller.step(static_cast<std::int64_t>(search.reached().size()));
  }

  void scan(UpwardLabels<W>& search, const Buckets<W>& buckets, std::size_t row,
            std::vector<L>& labels, Poller& poller) {
    std::fill(labels.begin(), labels.end(), kNoLabel<W>);
    std::int64_t scanned = 0;
    search.search(
        hierarchy_.up(), hierarchy_.down(), hierarchy_.position(sources_[row]),
        [](Position, L) { return true; },
        [&](Position x, L label) {
          const auto bucket = buckets.at(x);
          scanned += static_cast<std::int64_t>(bucket.size());
          for (const auto& entry : bucket) {
            L& smallest = labels[static_cast<std::size_t>(entry.column)];
            smallest = std::min(smallest, static_cast<L>(label + entry.label));
          }
        });
    poller.step(scanned + static_cast<std::int64_t>(search.reached().size()));
    Out* const out = out_.data() + row * targets_.size();
    for (std::size_t i = 0; i < labels.size(); ++i) out[i] = distance_of<Out, W>(labels[i]);
    const std::scoped_lock lock(adding_);
    counts_.relaxed_down += scanned;
  }

  const Hierarchy<W>& hierarchy_;
  SearchSpace<W>& space_;
  const std::span<const std::int64_t> sources_;
  const std::span<const std::int64_t> targets_;
  const std::span<Out> out_;
  std::mutex adding_;
  HierarchyCounts counts_;
};

}  // namespace warpath
