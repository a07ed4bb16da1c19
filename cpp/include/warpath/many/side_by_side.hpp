// side_by_side.hpp - several sources in one search: each edge is relaxed for all of them at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/many/lanes.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/sssp/bucket_bins.hpp"
#include "warpath/sssp/dijkstra.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// The outcome of a batch.
enum class BatchResult {
  kDone,
  kOverflow,   // a sum may not fit L
  kUnrelated,  // the sources have little in common: separate searches are faster
};

/// One thread's batches of up to Lanes<L>::kCount sources. The labels of a vertex, one lane per
/// source, fill one cache line.
///
/// A vertex is queued in the buckets of delta-stepping with the smallest label that was lowered
/// since its last scan. A scan relaxes its edges for all lanes. So a vertex is scanned once for
/// each group of sources whose labels for it are close: two to four times on graphs of few hops, or
/// for neighbouring sources; once per source, at twice the time of a separate scan, for sources far
/// apart on a road network, which is detected early (kUnrelated). Any order of relaxations ends in
/// the same labels. Weights must be >= 0. Memory: a line and a key per vertex. Source: the layout
/// of labels is that of Delling, Goldberg, Nowatzyk, Werneck, "PHAST", 2011.
template <Index V, Weight W, class L>
class SideBySide {
 public:
  using D = DistanceOf<W>;
  static constexpr int kLanes = Lanes<L>::kCount;

  /// `bits`: the widest vector registers to use, of those that the processor has.
  SideBySide(const CsrView<V, W>& graph, double delta, D cutoff, W max_weight, int bits,
             Poller& poller)
      : graph_(graph),
        first_(initial_label<L, D>(cutoff)),
        max_weight_(max_weight),
        bits_(bits),
        poller_(poller),
        window_(delta),
        queued_key_(static_cast<std::size_t>(graph.n()), kUnreached),
        labels_(static_cast<std::size_t>(graph.n()) * kLanes, first_) {}

  /// Solves up to kLanes sources; row_of(lane) is the output row of a lane. The rows are valid only
  /// after kDone.
  template <class RowOf>
  BatchResult solve(std::span<const V> sources, std::span<const std::int64_t> targets,
                    const RowOf& row_of) {
    const int lanes = static_cast<int>(sources.size());
    start(sources);
    const Outcome outcome = search_on_this_machine(lanes, targets);
    BatchResult result =
        outcome == Outcome::kUnrelated ? BatchResult::kUnrelated : BatchResult::kOverflow;
    if (outcome == Outcome::kExhausted || outcome == Outcome::kSettled) {
      const L largest = targets.empty() ? write(lanes, row_of) : write_some(lanes, targets, row_of);
      const bool exact =
          outcome == Outcome::kSettled || no_overflow<L, W>(largest, max_weight_, first_);
      result = exact ? BatchResult::kDone : BatchResult::kOverflow;
    }
    clear();
    return result;
  }

  const SearchCounters& counters() const { return counters_; }
  std::int64_t moves() const { return window_.moves(); }

 private:
  enum class Outcome { kExhausted, kSettled, kUnrelated, kOverflow };
  using Line = typename Lanes<L>::Line;
  using Window = VectorBuckets<L, V>;

  // Keys of vertices that are not queued: never reached, or scanned since. Both exceed all labels.
  static constexpr bool kFloat = std::is_floating_point_v<L>;
  static constexpr L kUnreached =
      kFloat ? std::numeric_limits<L>::quiet_NaN() : std::numeric_limits<L>::max();
  static constexpr L kScanned = kFloat ? kInfinity<L> : static_cast<L>(kUnreached - 1);
  static constexpr std::size_t kAhead = 4;       // vertices between two steps of prefetching
  static constexpr std::int64_t kAheadRow = 16;  // targets prefetched at once
  static constexpr std::int64_t kSamples = 512;  // vertices sampled to estimate a batch's gain

  static bool was_reached(L key) {
    if constexpr (kFloat)
      return key == key;
    else
      return key != kUnreached;
  }

  L* line(V v) { return labels_.data() + static_cast<std::size_t>(v) * kLanes; }

  void start(std::span<const V> sources) {
    window_.start();
    for (std::size_t lane = 0; lane < sources.size(); ++lane) {
      const auto v = static_cast<std::size_t>(sources[lane]);
      if (!was_reached(queued_key_[v])) {
        touched_.push_back(sources[lane]);
        window_.put(0, sources[lane]);
      }
      queued_key_[v] = 0;
      line(sources[lane])[lane] = 0;
    }
    next_check_ = scans_ + graph_.n();
    batch_began_ = scans_;
  }

  Outcome search_on_this_machine(int lanes, std::span<const std::int64_t> targets) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (bits_ >= 512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      return search_avx512(lanes, targets);
    if (bits_ >= 256 && __builtin_cpu_supports("avx2")) return search_avx2(lanes, targets);
#endif
    return search(lanes, targets);
  }

#if defined(__x86_64__) && defined(__GNUC__)
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq"),
    gnu::noinline]] Outcome search_avx512(int lanes, std::span<const std::int64_t> targets) {
    return search(lanes, targets);
  }
  [[gnu::target("avx2"), gnu::noinline]] Outcome search_avx2(
      int lanes, std::span<const std::int64_t> targets) {
    return search(lanes, targets);
  }
#endif

  [[gnu::always_inline]] Outcome search(int lanes, std::span<const std::int64_t> targets) {
    std::size_t settled = 0;  // targets, from the first one on, that are settled in all lanes
    for (int current = 0;;) {
      current = window_.next(current);
      if (current == kBuckets) {
        const auto key = [this](V v) {
          const L queued_key = queued_key_[static_cast<std::size_t>(v)];
          return queued_key < kScanned ? queued_key : L{0};  // scanned since: counts as settled
        };
        if (!window_.move(key, poller_)) return Outcome::kExhausted;
        current = 0;
      }
      while (settled < targets.size() && all_passed(targets[settled], lanes, current)) ++settled;
      if (settled == targets.size() && settled > 0) return Outcome::kSettled;
      if (!no_overflow<L, W>(window_.map().start_of(current), max_weight_, first_))
        return Outcome::kOverflow;
      if (scans_ >= next_check_) {
        if (unrelated(lanes)) return Outcome::kUnrelated;
        next_check_ += graph_.n();
      }
      for (auto* pile = &window_.take(current); !pile->empty(); pile = &window_.take(current)) {
        std::swap(scanned_, *pile);
        const std::size_t size = scanned_.size();
        for (std::size_t i = 0; i < size; ++i) {
          fetch_ahead(i, size);
          scan(scanned_[i], current);
        }
        scanned_.clear();
      }
    }
  }

  bool all_passed(std::int64_t target, int lanes, int current) {
    const L* const labels = line(static_cast<V>(target));
    for (int lane = 0; lane < lanes; ++lane)
      if (!window_.map().passed(labels[lane], current)) return false;
    return true;
  }

  /// Whether a scan lowers labels in so few lanes that separate searches are faster.
  bool unrelated(int lanes) {
    const std::int64_t n = graph_.n();
    const std::int64_t step = std::max<std::int64_t>(1, n / kSamples);
    std::int64_t reached = 0;
    std::int64_t seen = 0;
    for (std::int64_t v = 0; v < n; v += step, ++seen)
      for (int lane = 0; lane < lanes; ++lane) reached += line(static_cast<V>(v))[lane] < first_;
    const double labels = static_cast<double>(reached) / static_cast<double>(seen);
    const double scans = static_cast<double>(scans_ - batch_began_) / static_cast<double>(n);
    // At first the searches have hardly met; sources that share little then do not gain later.
    const bool first = next_check_ == batch_began_ + n;
    return labels < (first ? kMinGainAtFirst : kMinGain) * scans;
  }
  // Labels that a scan should lower. A separate search lowers one per scan and takes 0.4 to 0.9 of
  // the time.
  static constexpr double kMinGainAtFirst = 1.7;
  static constexpr double kMinGain = 1.5;

  [[gnu::always_inline]] void fetch_ahead(std::size_t i, std::size_t size) {
    const std::int64_t* const indptr = graph_.indptr.data();
    if (i + 3 * kAhead < size) {
      const auto v = static_cast<std::size_t>(scanned_[i + 3 * kAhead]);
      __builtin_prefetch(&indptr[v]);
      __builtin_prefetch(&queued_key_[v]);
    }
    if (i + 2 * kAhead < size) {
      const V v = scanned_[i + 2 * kAhead];
      const std::int64_t row = indptr[v];
      __builtin_prefetch(line(v));
      __builtin_prefetch(graph_.indices.data() + row);
      __builtin_prefetch(graph_.weights.data() + row);
    }
    if (i + kAhead < size) {
      const V v = scanned_[i + kAhead];
      if (!(queued_key_[static_cast<std::size_t>(v)] < kScanned)) return;
      const std::int64_t end = std::min(indptr[v + 1], indptr[v] + kAheadRow);
      for (std::int64_t e = indptr[v]; e < end; ++e) fetch(e);
    }
  }

  [[gnu::always_inline]] void fetch(std::int64_t e) {
    const V v = graph_.indices[static_cast<std::size_t>(e)];
    __builtin_prefetch(line(v), 1);
    __builtin_prefetch(&queued_key_[static_cast<std::size_t>(v)], 1);
  }

  [[gnu::always_inline]] void scan(V u, int current) {
    const auto row = static_cast<std::size_t>(u);
    poller_.step();
    const L key = queued_key_[row];
    if (!(key < kScanned) || !window_.map().holds(current, key)) return;  // stale
    queued_key_[row] = kScanned;
    const std::int64_t begin = graph_.indptr[row];
    const std::int64_t end = graph_.indptr[row + 1];
    poller_.step(end - begin);
    ++scans_;
    counters_.settled += 1;
    counters_.relaxed += end - begin;
    const Line from = *reinterpret_cast<const Line*>(line(u));
    for (std::int64_t e = begin; e < end; ++e) {
      if (e + kAheadRow < end) fetch(e + kAheadRow);
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      const auto weight = static_cast<L>(graph_.weights[static_cast<std::size_t>(e)]);
      const L smallest = Lanes<L>::relax(from, weight, line(v), kScanned);
      if (smallest == kScanned) continue;
      ++counters_.improved;
      const L queued_key = queued_key_[static_cast<std::size_t>(v)];
      if (queued_key <= smallest) continue;
      queued_key_[static_cast<std::size_t>(v)] = smallest;
      if (!was_reached(queued_key)) touched_.push_back(v);
      const int bucket = window_.map().bucket_of(smallest);
      if (queued_key < kScanned && window_.map().bucket_of(queued_key) == bucket)
        continue;  // v is there already
      window_.put(bucket, v);
    }
  }

  /// Writes whole rows, some vertices at a time so that lines and rows both stay in cache. Returns
  /// the largest label.
  template <class RowOf>
  L write(int lanes, const RowOf& row_of) {
    constexpr std::size_t kBlock = 64;
    const auto n = static_cast<std::size_t>(graph_.n());
    L largest = 0;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
      poller_.step(kBlock);
      const std::size_t end = std::min(n, begin + kBlock);
      for (int lane = 0; lane < lanes; ++lane) {
        const auto row = row_of(lane);
        for (std::size_t v = begin; v < end; ++v)
          put(row[v], labels_[v * kLanes + static_cast<std::size_t>(lane)], largest);
      }
    }
    return largest;
  }

  template <class RowOf>
  L write_some(int lanes, std::span<const std::int64_t> targets, const RowOf& row_of) {
    L largest = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const auto row = row_of(lane);
      for (std::size_t c = 0; c < targets.size(); ++c)
        put(row[c], line(static_cast<V>(targets[c]))[lane], largest);
    }
    for (const V v : touched_)
      for (int lane = 0; lane < lanes; ++lane)
        if (line(v)[lane] < first_) largest = std::max(largest, line(v)[lane]);
    return largest;
  }

  template <class Out>
  void put(Out& place, L label, L& largest) const {
    const bool reached = label != first_;
    largest = reached && largest < label ? label : largest;
    place = reached ? narrow<Out, D>(static_cast<D>(label)) : unreachable<Out>;
  }

  void clear() {
    if (touched_.size() < queued_key_.size() / 8) {
      for (const V v : touched_) {
        std::fill_n(line(v), kLanes, first_);
        queued_key_[static_cast<std::size_t>(v)] = kUnreached;
      }
    } else {
      std::fill_n(labels_.data(), labels_.size(), first_);
      std::fill_n(queued_key_.data(), queued_key_.size(), kUnreached);
    }
    touched_.clear();
  }

  const CsrView<V, W>& graph_;
  const L first_;
  const W max_weight_;
  const int bits_;
  Poller& poller_;
  Window window_;
  PageArray<L> queued_key_;  // key of a queued vertex, else kScanned or kUnreached
  PageArray<L> labels_;      // kLanes per vertex
  std::vector<V> touched_;
  typename Window::Pile scanned_;
  std::int64_t scans_ = 0;
  std::int64_t batch_began_ = 0;
  std::int64_t next_check_ = 0;
  SearchCounters counters_;
};

}  // namespace warpath
