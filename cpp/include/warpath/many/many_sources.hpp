// many_sources.hpp - a table of distances; sources that have much in common are searched together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "warpath/graph/ascending_order.hpp"
#include "warpath/graph/locality.hpp"
#include "warpath/graph/packed_rows.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/many/dijkstra_many.hpp"
#include "warpath/many/side_by_side.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/sssp/bucket_search.hpp"

namespace warpath {

/// Counters in addition to those of the searches.
struct ManyCounters : SearchCounters {
  std::int64_t together = 0;  // sources solved side by side
  std::int64_t moves = 0;     // of windows of buckets to their far piles

  using SearchCounters::operator+=;
  ManyCounters& operator+=(const ManyCounters& other) {
    SearchCounters::operator+=(other);
    together += other.together;
    moves += other.moves;
    return *this;
  }
};

/// Facts about the graph that the threads of one call have measured and share.
class SharedHints {
 public:
  /// Whether the sources have so little in common that searching for them together is slower.
  bool unrelated() const { return unrelated_.load(std::memory_order_relaxed); }
  void set_unrelated() { unrelated_.store(true, std::memory_order_relaxed); }

  /// Whether labels of so many bytes may suffice.
  bool may_fit(std::size_t bytes) const {
    return bytes >= min_bytes_.load(std::memory_order_relaxed);
  }
  void set_too_narrow(std::size_t bytes) {
    std::size_t min_bytes = min_bytes_.load(std::memory_order_relaxed);
    while (min_bytes <= bytes && !min_bytes_.compare_exchange_weak(min_bytes, bytes + 1)) {
    }
  }

 private:
  std::atomic<bool> unrelated_{false};
  std::atomic<std::size_t> min_bytes_{0};
};

/// Labels that hold most distances: 32 bits for integers.
template <Weight W>
using MiddleOf = std::conditional_t<std::is_integral_v<W>, std::uint32_t, W>;

/// The rows of one call's graph, packed at the first request.
template <Index V, Weight W>
class CallRows {
 public:
  using Packed = PackedRows<V, MiddleOf<W>>;

  /// `sources`: the number of complete searches; `large`: see Table.
  CallRows(const CsrView<V, W>& graph, std::size_t sources, std::int64_t large, Poller poller)
      : graph_(graph), pays_off_(sources >= kMinToPack && Packed::fit(graph)) {
    const Adjacency<V> rows = graph.adjacency();
    if (sources >= kMinToRenumber && pays_off_ && graph.n() >= large && poor_locality(rows))
      numbers_ = breadth_first_numbers(rows, poller);
  }

  /// Whether packing pays: it takes a tenth of a search and saves a sixth of each.
  bool pays_off() const { return pays_off_; }

  /// Every weight must fit a label.
  const Packed& packed() {
    std::call_once(once_, [this] { packed_.emplace(graph_, std::span<const V>(numbers_)); });
    return *packed_;
  }

  /// The number of a vertex in the packed rows.
  V number(std::int64_t v) const {
    return numbers_.empty() ? static_cast<V>(v) : numbers_[static_cast<std::size_t>(v)];
  }

 private:
  static constexpr std::size_t kMinToPack = 4;
  static constexpr std::size_t kMinToRenumber = 8;  // searches; it costs one, saves a third of each

  const CsrView<V, W>& graph_;
  const bool pays_off_;
  std::vector<V> numbers_;
  std::once_flag once_;
  std::optional<Packed> packed_;
};

/// The parameters of one call.
template <Index V, Weight W, class Out>
struct Table {
  const CsrView<V, W>& graph;
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> targets;  // empty: every vertex
  std::span<Out> out;                     // row by row
  DistanceOf<W> cutoff;
  double delta;                                // bucket width for one source
  double delta_together;                       // bucket width for several sources together
  int bits = 512;                              // the widest vector registers to use
  std::int64_t large = std::int64_t{1} << 19;  // vertices from which labels exceed the near caches
  W max_weight{};                              // the largest weight

  std::size_t width() const {
    return targets.empty() ? static_cast<std::size_t>(graph.n()) : targets.size();
  }
  std::span<Out> row(std::size_t i) const { return out.subspan(i * width(), width()); }
  V source(std::size_t i) const { return static_cast<V>(sources[i]); }
};

/// One thread's work on its share of a table.
///
/// Labels are as narrow as may suffice. If they prove too narrow, the work is repeated with wider
/// ones and at last by Dijkstra's algorithm, which also reports a distance that does not fit.
template <Index V, Weight W, class Out>
class ManySources {
 public:
  using D = DistanceOf<W>;
  static constexpr std::size_t kMaxLanes = 32;  // sources per batch: a line of 16-bit labels

  ManySources(const Table<V, W, Out>& table, SharedHints& hints, CallRows<V, W>& rows,
              const TargetSet& wanted, Poller poller)
      : table_(table),
        hints_(hints),
        rows_(rows),
        plain_rows_(table.graph),
        wanted_(wanted),
        poller_(poller) {}

  /// Solves the sources at `places`, and calls `done(count)` after each source or batch.
  template <class Done>
  void solve(std::span<const std::size_t> places, const Done& done) {
    if (places.size() >= kMinLanes) {
      if constexpr (kIntegral) solve_together(narrow_, places, done);
      solve_together(middle_, places, done);
    }
    for (const std::size_t place : places) {
      solve_alone(place);
      done(1);
    }
  }

  ManyCounters counters() const {
    ManyCounters total = counters_;
    const auto add = [&](const auto& search) {
      if (search) total += counts(*search);
    };
    add(narrow_);
    add(middle_);
    add(packed_);
    add(plain_);
    add(wide_);
    if (dijkstra_) total += dijkstra_->counters();
    return total;
  }

 private:
  static constexpr bool kIntegral = std::is_integral_v<W>;
  static constexpr std::size_t kMinLanes = 4;  // fewer sources are faster one by one
  using Narrow = std::conditional_t<kIntegral, std::uint16_t, W>;
  using Middle = MiddleOf<W>;
  using Wide = std::conditional_t<kIntegral, std::uint64_t, W>;

  template <class L>
  bool may_fit() const {
    return hints_.may_fit(sizeof(L)) && weights_fit<L, W>(table_.max_weight);
  }

  /// Solves batches from the front of `places` while that is faster and labels of type L suffice.
  template <class L, class Done>
  void solve_together(std::optional<SideBySide<V, W, L>>& search,
                      std::span<const std::size_t>& places, const Done& done) {
    while (!places.empty() && may_fit<L>() && !hints_.unrelated()) {
      if (!search)
        search.emplace(table_.graph, table_.delta_together, table_.cutoff, table_.max_weight,
                       table_.bits, poller_);
      const std::size_t lanes = std::min<std::size_t>(places.size(), Lanes<L>::kCount);
      sources_.clear();
      for (const std::size_t place : places.first(lanes)) sources_.push_back(table_.source(place));
      const auto row_of = [&](int lane) {
        return table_.row(places[static_cast<std::size_t>(lane)]);
      };
      const BatchResult outcome = search->solve(sources_, table_.targets, row_of);
      if (outcome == BatchResult::kUnrelated) hints_.set_unrelated();
      if (outcome == BatchResult::kOverflow) hints_.set_too_narrow(sizeof(L));
      if (outcome != BatchResult::kDone) return release(search);
      counters_.together += static_cast<std::int64_t>(lanes);
      places = places.subspan(lanes);
      done(static_cast<std::int64_t>(lanes));
    }
  }

  void solve_alone(std::size_t place) {
    const auto packed = [this]() -> const auto& { return rows_.packed(); };
    const auto plain = [this]() -> const auto& { return plain_rows_; };
    if (rows_.pays_off() ? try_alone(packed_, packed, place) : try_alone(plain_, plain, place))
      return;
    if constexpr (kIntegral)
      if (try_alone(wide_, plain, place)) return;
    if (!dijkstra_)
      dijkstra_.emplace(table_.graph, wanted_, QuaternaryHeap<D, V>(), table_.cutoff,
                        OriginalWeights<V, W>{}, poller_);
    dijkstra_->solve(table_.source(place), table_.targets, table_.row(place));
  }

  template <class L, class Rows, class RowsOf>
  bool try_alone(std::optional<BucketSearch<Rows, W, L>>& search, const RowsOf& rows,
                 std::size_t place) {
    if (!may_fit<L>()) return false;
    if (!search) search.emplace(rows(), table_.delta, table_.cutoff, table_.max_weight, poller_);
    if (search->solve(table_.source(place), table_.targets, table_.row(place))) return true;
    hints_.set_too_narrow(sizeof(L));
    release(search);
    return false;
  }

  /// Frees the labels of a search that will not be used again.
  template <class Search>
  void release(std::optional<Search>& search) {
    counters_ += counts(*search);
    search.reset();
  }

  template <class Search>
  static ManyCounters counts(const Search& search) {
    return {search.counters(), 0, search.moves()};
  }

  const Table<V, W, Out>& table_;
  SharedHints& hints_;
  CallRows<V, W>& rows_;
  const PlainRows<V, W> plain_rows_;
  const TargetSet& wanted_;
  Poller poller_;
  std::optional<SideBySide<V, W, Narrow>> narrow_;
  std::optional<SideBySide<V, W, Middle>> middle_;
  std::optional<BucketSearch<PackedRows<V, Middle>, W, Middle>> packed_;
  std::optional<BucketSearch<PlainRows<V, W>, W, Middle>> plain_;
  std::optional<BucketSearch<PlainRows<V, W>, W, Wide>> wide_;
  std::optional<SourceWorker<V, W, QuaternaryHeap<D, V>, OriginalWeights<V, W>>> dijkstra_;
  std::vector<V> sources_;
  ManyCounters counters_;
};

/// Distances from each source to each target into the table's rows; the same bits as Dijkstra's
/// algorithm from each source, whatever the threads, the deltas and `together`.
///
/// Sources are taken in the order of their numbers, so that those of a batch are likely to be
/// neighbours. Work: at most one search per source; a search with `targets` ends when the last of
/// them is settled and then resets only the labels that it touched. Memory: for each thread n
/// labels, or n lines of labels, and the packed rows.
template <Index V, Weight W, class Out>
ManyCounters many_sources(Table<V, W, Out> table, bool together, int threads, Control& control) {
  if (!(table.delta > 0 && table.delta_together > 0))
    throw std::invalid_argument("delta must be > 0");
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  const auto largest = std::max_element(table.graph.weights.begin(), table.graph.weights.end());
  table.max_weight = largest == table.graph.weights.end() ? W{0} : *largest;
  const std::size_t count = table.sources.size();
  const bool to_the_end = table.targets.empty() && table.cutoff == unreachable<DistanceOf<W>>;
  CallRows<V, W> rows(table.graph, to_the_end ? count : 0, table.large, Poller(control, true));
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = rows.number(table.sources[i]);
  const std::vector<std::size_t> places = ascending_order(numbers);
  const auto max_threads = static_cast<std::size_t>(threads);
  const int team = static_cast<int>(std::clamp<std::size_t>(count, 1, max_threads));
  const std::size_t share = (count + max_threads - 1) / max_threads;
  const std::size_t step =
      together ? std::clamp<std::size_t>(share, 1, ManySources<V, W, Out>::kMaxLanes) : 1;
  const TargetSet wanted(table.targets, table.graph.n());
  SharedHints hints;
  std::atomic<std::size_t> taken{0};
  std::atomic<int> finished{0};
  std::mutex guard;
  ManyCounters total;
  control.expect(static_cast<std::int64_t>(count));
  run_team(team, control, [&](int rank) {
    ManySources<V, W, Out> worker(table, hints, rows, wanted, Poller(control, rank == 0));
    for (std::size_t i; (i = taken.fetch_add(step, std::memory_order_relaxed)) < count;)
      worker.solve(std::span<const std::size_t>(places).subspan(i, std::min(step, count - i)),
                   [&](std::int64_t solved) { control.advance(solved); });
    {
      const std::scoped_lock lock(guard);
      total += worker.counters();
    }
    await_team(rank, team, finished, control);
  });
  return total;
}

}  // namespace warpath
