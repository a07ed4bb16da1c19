// sweep.hpp - distances from many sources by sweeps down a hierarchy.
//
// PHAST: upward searches from the sources label the few positions above them. A sweep over all
// positions in ascending order then labels each one over the arcs from more important positions.
// The labels of several sources are adjacent in a cache line, so one pass over the arcs serves all
// of them. With targets, the sweep is restricted to positions from which a target can be reached
// downward, stored in rows of their own (RPHAST).
// Source: Delling, Goldberg, Nowatzyk, Werneck, "PHAST: hardware-accelerated shortest path trees",
// 2011; Delling, Goldberg, Werneck, "Faster batched shortest paths in road networks", 2011.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/ascending_order.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/lane_search.hpp"
#include "warpath/hierarchy/search_space.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/many/lanes.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The positions that a sweep labels, numbered in sweep order, and the arcs into them.
template <Weight W>
class SweepRows {
 public:
  /// All positions.
  explicit SweepRows(const Hierarchy<W>& hierarchy)
      : rows_(&hierarchy.down()), count_(hierarchy.n()) {}

  /// The positions from which a target can be reached downward. `numbers` has none; it is used, and
  /// emptied at the end.
  SweepRows(const Hierarchy<W>& hierarchy, std::span<const std::int64_t> targets,
            PositionNumbers& numbers)
      : numbers_(&numbers) {
    const auto add = [&](Position x) {
      if (numbers[x] != kAbsent) return;
      numbers[x] = 0;
      above_.push_back(x);
    };
    for (const std::int64_t target : targets) add(hierarchy.position(target));
    for (std::size_t i = 0; i < above_.size(); ++i)
      for (const HierarchyArc<W>& arc : hierarchy.down().row(above_[i])) add(arc.head);
    std::sort(above_.begin(), above_.end());
    count_ = static_cast<Position>(above_.size());
    own_.emplace(above_.size(),
                 [&](std::size_t i) { return hierarchy.down().row(above_[i]).size(); });
    for (std::size_t i = 0; i < above_.size(); ++i) {
      numbers[above_[i]] = static_cast<Position>(i);
      HierarchyArc<W>* next = own_->begin(i);
      for (const HierarchyArc<W>& arc : hierarchy.down().row(above_[i]))
        *next++ = {numbers[arc.head], arc.weight};
    }
    rows_ = &*own_;
  }
  ~SweepRows() {
    for (const Position x : above_) (*numbers_)[x] = kAbsent;
  }
  SweepRows(const SweepRows&) = delete;
  SweepRows& operator=(const SweepRows&) = delete;

  static constexpr Position kAbsent = PositionNumbers::kNone;

  Position count() const { return count_; }
  std::span<const HierarchyArc<W>> row(Position number) const { return rows_->row(number); }
  std::int64_t arcs() const { return static_cast<std::int64_t>(rows_->arcs()); }
  const HierarchyArc<W>* end() const { return rows_->end(); }
  /// The number of a position, kAbsent if the sweep does not label it.
  Position number(Position x) const {
    return numbers_ == nullptr ? x : std::as_const(*numbers_)[x];
  }

 private:
  PositionNumbers* numbers_ = nullptr;  // none if all are labelled
  std::vector<Position> above_;
  std::optional<HierarchyRows<W>> own_;
  const HierarchyRows<W>* rows_;
  Position count_;
};

/// The parameters of one call.
template <Weight W, class Out>
struct SweepTable {
  const Hierarchy<W>& hierarchy;
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> targets;  // empty: every vertex
  std::span<Out> out;                     // row by row
  bool restricted = false;                // whether to sweep over what is above targets alone
  int bits = 512;                         // the widest vector registers to use

  std::size_t width() const {
    return targets.empty() ? static_cast<std::size_t>(hierarchy.n()) : targets.size();
  }
};

/// One thread's sweeps for `kLanes` sources at once: 1, or as many as `LaneSearch` takes.
template <Weight W, class Out, int kLanes>
class Sweep {
 public:
  using L = HierarchyLabel<W>;
  using Search = std::conditional_t<kLanes == 1, UpwardLabels<W>, LaneSearch<W>>;

  Sweep(const SweepTable<W, Out>& table, const SweepRows<W>& rows, Search& upward,
        SweepLabels<W>& labels, Poller poller)
      : table_(table), rows_(rows), poller_(poller), upward_(upward), labels_(labels) {
    labels.fit(static_cast<std::size_t>(rows.count()), kLanes);
  }

  /// What the sweeps so far did.
  HierarchyCounts counts() const { return counts_; }

  /// Fills at most kLanes rows of the table, given by their numbers.
  void solve(std::span<const std::size_t> rows) {
    start(rows.size(), [&](std::size_t lane) { return table_.sources[rows[lane]]; });
    finish(rows.size());
    write(rows);
  }

  /// Returns the lines of labels of all positions for at most kLanes sources.
  const L* labels(std::size_t first, std::size_t count) {
    start(count, [&](std::size_t lane) { return table_.sources[first + lane]; });
    finish(count);
    return labels_.data();
  }

 private:
  static constexpr std::ptrdiff_t kAhead = 24;  // arcs between a prefetch and its use

  L* line(Position number) { return labels_.data() + static_cast<std::size_t>(number) * kLanes; }

  /// Labels the positions above `count` sources.
  template <class Source>
  void start(std::size_t count, const Source& source_of) {
    const Hierarchy<W>& hierarchy = table_.hierarchy;
    if constexpr (kLanes == 1) {
      upward_.search(hierarchy.up(), hierarchy.down(), hierarchy.position(source_of(0)),
                     [](Position, L) { return true; });
      for (const Position x : upward_.reached()) label(x, [&](L* line) { *line = upward_[x]; });
    } else {
      std::array<Position, kLanes> starts;
      for (std::size_t lane = 0; lane < count; ++lane)
        starts[lane] = hierarchy.position(source_of(lane));
      upward_.search(hierarchy.up(), hierarchy.down(),
                     std::span<const Position>(starts).first(count), table_.bits);
      for (const Position x : upward_.labelled())
        label(x, [&](L* line) { std::copy_n(upward_.line(x), kLanes, line); });
    }
  }

  /// Calls write(line) with the line of a position that the sweep labels.
  template <class Write>
  void label(Position x, const Write& write) {
    const Position number = rows_.number(x);
    if (number == SweepRows<W>::kAbsent) return;
    labels_.mark(number) = 1;
    write(line(number));
  }

  /// The labels of a position, in the order of the lanes.
  struct PlainLabels {
    L values[kLanes];

    [[gnu::always_inline]] void load(const L* from) { std::copy_n(from, kLanes, values); }
    [[gnu::always_inline]] void store(L* to) const { std::copy_n(values, kLanes, to); }
    [[gnu::always_inline]] void fill(L label) { std::fill_n(values, kLanes, label); }
    [[gnu::always_inline]] void lower(const L* from, L weight) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const L sum = static_cast<L>(from[lane] + weight);
        values[lane] = sum < values[lane] ? sum : values[lane];
      }
    }
  };

  /// The same in one vector register: faster by a third with AVX-512, slower with narrower ones.
  struct LabelsInRegister {
    using Line = typename Lanes<L>::Line;
    Line values;

    [[gnu::always_inline]] void load(const L* from) { values = *as_line(from); }
    [[gnu::always_inline]] void store(L* to) const { *reinterpret_cast<Line*>(to) = values; }
    [[gnu::always_inline]] void fill(L label) { values = Line{} + label; }
    [[gnu::always_inline]] void lower(const L* from, L weight) {
      const Line sum = *as_line(from) + weight;
      values = sum < values ? sum : values;
    }
    [[gnu::always_inline]] static const Line* as_line(const L* labels) {
      return reinterpret_cast<const Line*>(labels);
    }
  };

  void sweep_on_this_machine() {
#if defined(__x86_64__) && defined(__GNUC__)
    if constexpr (kLanes > 1) {
      if (table_.bits >= 512 && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return sweep_avx512();
      if (table_.bits >= 256 && __builtin_cpu_supports("avx2")) return sweep_avx2();
    }
#endif
    sweep<PlainLabels>();
  }

#if defined(__x86_64__) && defined(__GNUC__)
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512"),
    gnu::noinline]] void sweep_avx512() {
    sweep<LabelsInRegister>();
  }
  [[gnu::target("avx2"), gnu::noinline]] void sweep_avx2() { sweep<PlainLabels>(); }
#endif

  template <class Labels>
  [[gnu::always_inline]] void sweep() {
    const HierarchyArc<W>* const end_of_arcs = rows_.end();
    for (Position number = 0; number < rows_.count(); ++number) {
      Labels smallest;
      char& marked = labels_.mark(number);
      if (marked != 0) {
        smallest.load(line(number));
      } else {
        smallest.fill(kNoLabel<W>);
      }
      marked = 0;
      const auto row = rows_.row(number);
      poller_.step(static_cast<std::int64_t>(row.size()) + 1);
      for (const HierarchyArc<W>* arc = row.data(); arc != row.data() + row.size(); ++arc) {
        if (end_of_arcs - arc > kAhead) __builtin_prefetch(line(arc[kAhead].head));
        smallest.lower(line(arc->head), static_cast<L>(arc->weight));
      }
      smallest.store(line(number));
    }
  }

  /// Sweeps down from the positions above `count` sources.
  void finish(std::size_t count) {
    counts_ += upward_.take_counts();
    sweep_on_this_machine();
    counts_.labelled += static_cast<std::int64_t>(count) * rows_.count();
    counts_.relaxed_down += static_cast<std::int64_t>(count) * rows_.arcs();
  }

  void write(std::span<const std::size_t> rows) {
    const std::size_t width = table_.width();
    const auto position_of = [&](std::size_t column) {
      return table_.targets.empty() ? table_.hierarchy.positions()[column]
                                    : table_.hierarchy.position(table_.targets[column]);
    };
    Out* out[kLanes];
    for (std::size_t lane = 0; lane < rows.size(); ++lane)
      out[lane] = table_.out.data() + rows[lane] * width;
    std::size_t column = 0;
    for (; column + kBlock <= width; column += kBlock) {
      const L* lines[kBlock];
      for (std::size_t i = 0; i < kBlock; ++i)
        lines[i] = line(rows_.number(position_of(column + i)));
      for (std::size_t i = 0; i < kBlock && column + kBlock + i < width; ++i)
        __builtin_prefetch(line(rows_.number(position_of(column + kBlock + i))));
      for (std::size_t lane = 0; lane < rows.size(); ++lane)
        for (std::size_t i = 0; i < kBlock; ++i)  // of fixed length: unrolled
          out[lane][column + i] = distance_of<Out, W>(lines[i][lane]);
      poller_.step(static_cast<std::int64_t>(kBlock * rows.size()));
    }
    for (; column < width; ++column) {
      const L* const from = line(rows_.number(position_of(column)));
      for (std::size_t lane = 0; lane < rows.size(); ++lane)
        out[lane][column] = distance_of<Out, W>(from[lane]);
    }
  }
  static constexpr std::size_t kBlock = 32;  // columns: their part of a row fills four cache lines

  const SweepTable<W, Out>& table_;
  const SweepRows<W>& rows_;
  Poller poller_;
  Search& upward_;
  SweepLabels<W>& labels_;
  HierarchyCounts counts_;
};

/// Implements `sweep_table` on the rows of its sweeps.
template <Weight W, class Out>
HierarchyCounts sweep_over(const SweepRows<W>& rows, const SweepTable<W, Out>& table,
                           SearchSpace<W>& space, int threads, Control& control) {
  constexpr int kLanes = Lanes<HierarchyLabel<W>>::kCount;
  const std::size_t count = table.sources.size();
  const auto team =
      static_cast<int>(std::min<std::size_t>(count, static_cast<std::size_t>(threads)));
  const std::size_t step = std::clamp<std::size_t>(
      (count + static_cast<std::size_t>(team) - 1) / static_cast<std::size_t>(team), 1, kLanes);
  const std::vector<std::size_t> order = ascending_order(table.sources);  // near sources together
  HierarchyCounts counts;
  std::atomic<std::size_t> taken{0};
  std::mutex adding;
  control.expect(static_cast<std::int64_t>(count));
  run_open_team(team, control, [&](int rank) {
    std::size_t i = taken.fetch_add(step, std::memory_order_relaxed);
    if (i >= count) return;
    const Poller poller(control, rank == 0);
    const auto solve = [&](auto&& sweep) {
      for (; i < count; i = taken.fetch_add(step, std::memory_order_relaxed)) {
        const std::size_t size = std::min(step, count - i);
        sweep.solve(std::span(order).subspan(i, size));
        control.advance(static_cast<std::int64_t>(size));
      }
      const std::scoped_lock lock(adding);
      counts += sweep.counts();
    };
    space.sweeps.with([&](SweepLabels<W>& labels) {
      if (step == 1) {
        space.upward.with([&](UpwardLabels<W>& upward) {
          upward.take_counts();  // of earlier calls
          solve(Sweep<W, Out, 1>(table, rows, upward, labels, poller));
        });
      } else {
        space.lanes.with([&](LaneSearch<W>& upward) {
          upward.take_counts();  // of earlier calls
          solve(Sweep<W, Out, kLanes>(table, rows, upward, labels, poller));
        });
      }
      labels.trim();
    });
  });
  return counts;
}

/// Distances from each source to each target into the table's rows. Returns what was done.
///
/// Work: for each batch of sources one pass over the arcs, with targets only over those above them.
/// Memory: for each thread a line of labels per position.
template <Weight W, class Out>
HierarchyCounts sweep_table(const SweepTable<W, Out>& table, SearchSpace<W>& space, int threads,
                            Control& control) {
  if (table.sources.empty() || table.width() == 0) return {};
  if (!table.restricted || table.targets.empty())
    return sweep_over(SweepRows<W>(table.hierarchy), table, space, threads, control);
  return space.numbers.with([&](PositionNumbers& numbers) {
    return sweep_over(SweepRows<W>(table.hierarchy, table.targets, numbers), table, space, threads,
                      control);
  });
}

}  // namespace warpath
