// lane_search.hpp - searches upward from several positions side by side, and pairs that meet.
//
// Searches from neighbouring vertices visit nearly the same positions. One search for a whole cache
// line of starts takes each position once, with the labels of all lanes next to each other, so that
// arcs, queue and numbers are read once for all of them. Lines belong to the positions that were
// reached alone, so that all of them stay in the nearest cache.
//
// Work    one search for each line of sources and of targets: 9 us a pair of 10,000 on New York's
//         roads, where a search for each pair takes 25.
// Memory  for each thread 4 bytes a vertex twice, and the labels of a chunk of targets.
// Source  Geisberger, Sanders, Schultes, Delling, "Contraction hierarchies", 2008, for the
// searches;
//         Delling, Goldberg, Werneck, "Faster batched shortest paths in road networks", 2011, for
//         labels side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/many/lanes.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// The labels upward from up to kLanes positions, of which each has a lane.
template <Weight W>
class LaneSearch {
 public:
  using L = HierarchyLabel<W>;
  static constexpr std::size_t kLanes = Lanes<L>::kCount;

  explicit LaneSearch(Position n)
      : numbers_(static_cast<std::size_t>(n), kNone), queue_(static_cast<std::size_t>(n)) {
    clean();
  }

  /// Searches along `rows`; `against` has the arcs into positions from more important ones. A lane
  /// loses its label of a position to which a way through a more important one is shorter.
  void search(const HierarchyRows<W>& rows, const HierarchyRows<W>& against,
              std::span<const Position> starts, int bits) {
    clean();
    queue_.start(*std::max_element(starts.begin(), starts.end()));
    for (std::size_t lane = 0; lane < starts.size(); ++lane)
      lines_[number_of(starts[lane])].labels[lane] = L{};
#if defined(__x86_64__) && defined(__GNUC__)
    if (bits >= 512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      return run_avx512(rows, against);
    if (bits >= 256 && __builtin_cpu_supports("avx2")) return run_avx2(rows, against);
#endif
    run<typename Lanes<L>::Quarter>(rows, against);
  }

  /// The positions that have labels in some lane, in descending order.
  std::span<const Position> labelled() const { return labelled_; }

  /// The labels of a position by lane.
  const L* line(Position x) const {
    return lines_[numbers_[static_cast<std::size_t>(x)]].labels.data();
  }

  /// What the searches since the last call did. A position counts once for all lanes.
  HierarchyCounts take_counts() { return std::exchange(counts_, {}); }

 private:
  static constexpr std::uint32_t kNone = 0;  // the number of a line without labels

  struct alignas(Lanes<L>::kBytes) Line {
    std::array<L, kLanes> labels;
  };

  /// A line in vector registers of type V.
  template <class V>
  struct Registers {
    static constexpr std::size_t kCount = sizeof(Line) / sizeof(V);
    V part[kCount];

    [[gnu::always_inline]] static Registers load(const Line& line) {
      Registers loaded;
      for (std::size_t i = 0; i < kCount; ++i)
        loaded.part[i] = reinterpret_cast<const V*>(line.labels.data())[i];
      return loaded;
    }
    [[gnu::always_inline]] void store(Line& line) const {
      for (std::size_t i = 0; i < kCount; ++i)
        reinterpret_cast<V*>(line.labels.data())[i] = part[i];
    }
    [[gnu::always_inline]] void lower(const Registers& from, L weight) {
      for (std::size_t i = 0; i < kCount; ++i) {
        const V sum = from.part[i] + weight;
        part[i] = sum < part[i] ? sum : part[i];
      }
    }
    /// Removes the labels that are larger than others. Returns whether any is left.
    [[gnu::always_inline]] bool keep_up_to(const Registers& most) {
      V all = V{} + kNoLabel<W>;
      const V none = all;
      for (std::size_t i = 0; i < kCount; ++i) {
        part[i] = most.part[i] < part[i] ? none : part[i];
        all = part[i] < all ? part[i] : all;
      }
      const auto labelled = all != none;
      std::array<long long, sizeof(V) / sizeof(long long)> words;
      std::memcpy(words.data(), &labelled, sizeof(V));
      long long any = 0;
      for (const long long word : words) any |= word;
      return any != 0;
    }
  };

#if defined(__x86_64__) && defined(__GNUC__)
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512"), gnu::noinline,
    gnu::flatten]] void run_avx512(const HierarchyRows<W>& rows, const HierarchyRows<W>& against) {
    run<typename Lanes<L>::Line>(rows, against);
  }
  [[gnu::target("avx2"), gnu::noinline, gnu::flatten]] void run_avx2(
      const HierarchyRows<W>& rows, const HierarchyRows<W>& against) {
    run<typename Lanes<L>::Half>(rows, against);
  }
#endif

  template <class V>
  [[gnu::always_inline]] void run(const HierarchyRows<W>& rows, const HierarchyRows<W>& against) {
    using Labels = Registers<V>;
    for (Position x; queue_.pop(x);) {
      const std::uint32_t number = numbers_[static_cast<std::size_t>(x)];
      Labels labels = Labels::load(lines_[number]);
      Labels smallest = labels;
      for (const HierarchyArc<W>& arc : against.row(x))
        smallest.lower(Labels::load(lines_[numbers_[static_cast<std::size_t>(arc.head)]]),
                       static_cast<L>(arc.weight));
      const bool any = labels.keep_up_to(smallest);
      labels.store(lines_[number]);
      if (!any) {
        ++counts_.stalled;
        continue;
      }
      labelled_.push_back(x);
      const std::span<const HierarchyArc<W>> row = rows.row(x);
      counts_.relaxed_up += static_cast<std::int64_t>(row.size());
      for (const HierarchyArc<W>& arc : row) {
        Line& line = lines_[number_of(arc.head)];
        Labels lowered = Labels::load(line);
        lowered.lower(labels, static_cast<L>(arc.weight));
        lowered.store(line);
      }
    }
    counts_.settled += static_cast<std::int64_t>(reached_.size());
  }

  /// The number of a position's line, which is made if there is none.
  [[gnu::always_inline]] std::uint32_t number_of(Position x) {
    std::uint32_t& number = numbers_[static_cast<std::size_t>(x)];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(lines_.size());
      lines_.push_back(lines_[kNone]);
      reached_.push_back(x);
      queue_.push(x);
    }
    return number;
  }

  void clean() {
    for (const Position x : reached_) numbers_[static_cast<std::size_t>(x)] = kNone;
    reached_.clear();
    labelled_.clear();
    Line none;
    none.labels.fill(kNoLabel<W>);
    lines_.assign(1, none);
  }

  PageArray<std::uint32_t> numbers_;  // the line of each position
  PositionQueue queue_;
  std::vector<Line> lines_;
  std::vector<Position> reached_;
  std::vector<Position> labelled_;
  HierarchyCounts counts_;
};

/// One thread's searches between many pairs of vertices.
template <Weight W>
class PairsInLanes {
 public:
  using L = HierarchyLabel<W>;
  static constexpr std::size_t kLanes = LaneSearch<W>::kLanes;

  explicit PairsInLanes(const Hierarchy<W>& hierarchy)
      : hierarchy_(hierarchy), forward_(hierarchy.n()), backward_(hierarchy.n()) {}

  /// Calls found(pair, label) for each of some pairs, of which sources[pair] should be near those
  /// of the pairs before and after it; kNoLabel if there is no path.
  template <class Found>
  void distances(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets,
                 std::span<const std::size_t> pairs, int bits, Poller& poller, const Found& found) {
    list_targets(targets, pairs, bits, poller);
    each_line(sources, pairs, [&](std::span<const Position> starts, std::size_t first) {
      forward_.search(hierarchy_.up(), hierarchy_.down(), starts, bits);
      poller.step(static_cast<std::int64_t>(forward_.labelled().size()));
      for (std::size_t lane = 0; lane < starts.size(); ++lane) {
        const std::span<const Entry> list = list_of(first + lane);
        L best = kNoLabel<W>;
        for (const Entry& entry : list)
          best = std::min(best, static_cast<L>(forward_.line(entry.position)[lane] + entry.label));
        poller.step(static_cast<std::int64_t>(list.size()));
        found(pairs[first + lane], best);
      }
    });
  }

  /// What the searches since the last call did.
  HierarchyCounts take_counts() {
    HierarchyCounts counts = forward_.take_counts();
    return counts += backward_.take_counts();
  }

 private:
  struct Entry {
    Position position;
    L label;
  };

  /// Calls search(positions, i) for the vertices of up to kLanes pairs at once, from pairs[i] on.
  template <class Search>
  void each_line(std::span<const std::int64_t> vertices, std::span<const std::size_t> pairs,
                 const Search& search) const {
    std::array<Position, kLanes> starts;
    for (std::size_t first = 0; first < pairs.size(); first += kLanes) {
      const std::size_t size = std::min(kLanes, pairs.size() - first);
      for (std::size_t lane = 0; lane < size; ++lane)
        starts[lane] = hierarchy_.position(vertices[pairs[first + lane]]);
      search(std::span<const Position>(starts).first(size), first);
    }
  }

  /// Lists the labels upward from the target of each pair, which neighbours are searched from at
  /// once.
  void list_targets(std::span<const std::int64_t> targets, std::span<const std::size_t> pairs,
                    int bits, Poller& poller) {
    by_target_.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) by_target_[i] = {targets[pairs[i]], i};
    std::sort(by_target_.begin(), by_target_.end());
    sorted_.clear();
    for (const auto& [target, i] : by_target_) sorted_.push_back(pairs[i]);
    lists_.resize(pairs.size());
    entries_.clear();
    each_line(targets, sorted_, [&](std::span<const Position> starts, std::size_t first) {
      backward_.search(hierarchy_.down(), hierarchy_.up(), starts, bits);
      const std::span<const Position> labelled = backward_.labelled();
      poller.step(static_cast<std::int64_t>(labelled.size()));
      for (std::size_t lane = 0; lane < starts.size(); ++lane) {
        std::size_t end = entries_.size();
        entries_.resize(end + labelled.size());
        const std::size_t begin = end;
        for (const Position x : labelled) {
          const L label = backward_.line(x)[lane];
          entries_[end] = {x, label};
          end += label != kNoLabel<W>;
        }
        entries_.resize(end);
        lists_[by_target_[first + lane].second] = {begin, end};
      }
    });
  }

  std::span<const Entry> list_of(std::size_t i) const {
    const auto [begin, end] = lists_[i];
    return std::span(entries_).subspan(begin, end - begin);
  }

  const Hierarchy<W>& hierarchy_;
  LaneSearch<W> forward_;
  LaneSearch<W> backward_;
  std::vector<std::pair<std::int64_t, std::size_t>> by_target_;  // targets and places of pairs
  std::vector<std::size_t> sorted_;                              // pairs by their targets
  std::vector<Entry> entries_;                                   // the labels of all targets
  std::vector<std::pair<std::size_t, std::size_t>> lists_;       // begin and end in them
};

}  // namespace warpath
