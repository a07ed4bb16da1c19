// bucket_search.hpp - delta-stepping by one thread for itself: one source after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/bucket_window.hpp"
#include "warpath/control.hpp"
#include "warpath/dijkstra.hpp"
#include "warpath/narrow_label.hpp"
#include "warpath/page_array.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// One thread's searches with labels of type L, narrower than the distances or as wide.
///
/// Buckets are lists, so what the next scans will read is known and fetched ahead: row bounds,
/// rows, labels of the targets. Scans are label-correcting within a bucket; any order ends in the
/// same labels, for rounding is monotone and weights are >= 0. Work O(m) relaxations for a small
/// delta. Weights must fit L (`weights_fit`).
/// Source: Meyer, Sanders, "Delta-stepping", 2003.
template <Index V, Weight W, class L>
class BucketSearch {
 public:
  using D = DistanceOf<W>;

  BucketSearch(const CsrView<V, W>& graph, double delta, D cutoff, W heaviest, Pulse& pulse)
      : graph_(graph),
        first_(first_label<L, D>(cutoff)),
        heaviest_(heaviest),
        pulse_(pulse),
        window_(delta),
        dist_(static_cast<std::size_t>(graph.n()), first_) {}

  /// Solves one source and writes its row: a column per target, or per vertex without any. False
  /// when a sum may have been too large for L: then the row says nothing.
  template <class Out>
  bool solve(V source, std::span<const std::int64_t> targets, std::span<Out> row) {
    window_.start();
    touched_.assign(1, source);
    const bool stopped = search(source, targets);
    bool exact = true;
    L largest = 0;
    const auto put = [&](Out& place, std::size_t v) {
      const L label = dist_[v];
      if (label == first_) {
        place = unreachable<Out>;
      } else {
        largest = std::max(largest, label);
        place = narrow<Out, D>(static_cast<D>(label));
      }
    };
    if (targets.empty())
      for (std::size_t v = 0; v < row.size(); ++v) put(row[v], v);
    else
      for (std::size_t c = 0; c < row.size(); ++c)
        put(row[c], static_cast<std::size_t>(targets[c]));
    if (!stopped) exact = labels_exact<L, W>(largest_reached(targets, largest), heaviest_, first_);
    clear();
    return exact;
  }

  const SearchCounters& counters() const { return counters_; }
  std::int64_t moves() const { return window_.moves(); }

 private:
  static constexpr std::size_t kAhead = 4;       // vertices between two steps of fetching
  static constexpr std::int64_t kAheadRow = 16;  // targets fetched of a row; longer ones overlap

  bool search(V source, std::span<const std::int64_t> targets) {
    std::size_t settled = 0;  // targets, from the first one on, that have passed
    dist_[static_cast<std::size_t>(source)] = 0;
    window_.put(0, source);
    for (int current = 0;;) {
      current = window_.next(current);
      if (current == BucketWindow<L, V>::kFar) {
        const auto label = [this](V v) { return dist_[static_cast<std::size_t>(v)]; };
        if (!window_.move(label, pulse_)) return false;
        current = 0;
      }
      while (settled < targets.size() &&
             window_.passed(dist_[static_cast<std::size_t>(targets[settled])], current))
        ++settled;
      if (settled == targets.size() && settled > 0) return true;
      scan_bucket(current);
    }
  }

  void scan_bucket(int current) {
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

  void fetch_ahead(std::size_t i, std::size_t size) const {
    const std::int64_t* const indptr = graph_.indptr.data();
    if (i + 2 * kAhead < size) {
      const auto v = static_cast<std::size_t>(scanned_[i + 2 * kAhead]);
      __builtin_prefetch(&dist_[v]);
      __builtin_prefetch(&indptr[v]);
    }
    if (i + kAhead < size) {
      const std::int64_t row = indptr[scanned_[i + kAhead]];
      __builtin_prefetch(graph_.indices.data() + row);
      __builtin_prefetch(graph_.weights.data() + row);
    }
    if (i + kAhead / 2 < size) {
      const auto v = static_cast<std::size_t>(scanned_[i + kAhead / 2]);
      const std::int64_t end = std::min(indptr[v + 1], indptr[v] + kAheadRow);
      for (std::int64_t e = indptr[v]; e < end; ++e)
        __builtin_prefetch(dist_.data() + graph_.indices[static_cast<std::size_t>(e)]);
    }
  }

  void scan(V u, int current) {
    const L from = dist_[static_cast<std::size_t>(u)];
    pulse_.beat();
    if (window_.passed(from, current)) return;  // lowered since, and scanned with that label
    const std::int64_t begin = graph_.indptr[static_cast<std::size_t>(u)];
    const std::int64_t end = graph_.indptr[static_cast<std::size_t>(u) + 1];
    pulse_.beat(end - begin);
    ++counters_.settled;
    counters_.relaxed += end - begin;
    const V* const indices = graph_.indices.data();
    const W* const weights = graph_.weights.data();
    L* const dist = dist_.data();
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = indices[e];
      const L sum = static_cast<L>(from + static_cast<L>(weights[e]));
      const L old = dist[v];
      if (!(sum < old)) continue;
      dist[v] = sum;
      ++counters_.improved;
      const int bucket = window_.bucket_of(sum);
      if (old == first_) {
        touched_.push_back(v);
      } else if (bucket > current && window_.bucket_of(old) == bucket) {
        continue;  // it waits there already
      }
      window_.put(bucket, v);
    }
  }

  L largest_reached(std::span<const std::int64_t> targets, L largest) const {
    if (!targets.empty())
      for (const V v : touched_) largest = std::max(largest, dist_[static_cast<std::size_t>(v)]);
    return largest;
  }

  void clear() {
    if (touched_.size() < dist_.size() / 8)
      for (const V v : touched_) dist_[static_cast<std::size_t>(v)] = first_;
    else
      std::fill_n(dist_.data(), dist_.size(), first_);
  }

  const CsrView<V, W>& graph_;
  const L first_;
  const W heaviest_;
  Pulse& pulse_;
  BucketWindow<L, V> window_;
  PageArray<L> dist_;
  std::vector<V> touched_;
  typename BucketWindow<L, V>::Pile scanned_;
  SearchCounters counters_;
};

}  // namespace warpath
