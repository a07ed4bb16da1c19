// bucket_search.hpp - one thread, private buckets, reused for many sources (warpath.own_buckets).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/sssp/bucket_core.hpp"
#include "warpath/sssp/dijkstra.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// One thread's searches by BucketCore, which bucket_core.hpp explains, with labels of type L, as
/// wide as the distances or narrower. Labels and buckets keep their memory from search to search.
/// Weights must be >= 0 and fit L (`weights_fit`). `Rows` is PlainRows or PackedRows.
template <class Rows, class W, class L>
class BucketSearch {
 public:
  using V = typename Rows::Vertex;
  using D = DistanceOf<W>;

  BucketSearch(const Rows& rows, double delta, D cutoff, W max_weight, Poller& poller)
      : rows_(rows),
        delta_(delta),
        initial_(initial_label<L, D>(cutoff)),
        max_weight_(max_weight),
        labels_(static_cast<std::size_t>(rows.n()), initial_),
        core_(rows_, labels_.data(), initial_, delta, scan_policy(rows), poller) {}

  /// Solves one source and writes its row, with one column per target, or per vertex if there are
  /// no targets. False if a sum may have been too large for L: the row is then meaningless.
  template <class Out>
  bool solve(V source, std::span<const std::int64_t> targets, std::span<Out> row) {
    const bool stopped = search(number_of(source), targets);
    const L largest = targets.empty() ? write(row) : write_some(targets, row);
    return stopped || no_overflow<L, W>(largest, max_weight_, initial_);
  }

  const SearchCounters& counters() const { return core_.counters; }
  std::int64_t moves() const { return core_.moves; }

 private:
  /// BucketCore's hook. With targets it records the labels to reset.
  struct PrivateBuckets {
    static constexpr bool kShared = false;
    BucketSearch& search;
    const bool keep_touched;

    bool next(int current, V& v) { return search.core_.buckets.pop(current, v); }
    void scanned(int) {}
    void lowered(V v, bool first) {
      if (!keep_touched) return;
      search.touched_[search.touched_count_] = v;  // no branch on `first`, which is unpredictable
      search.touched_count_ += first;
    }
    static constexpr bool leaf(V) { return false; }
  };

  static ScanPolicy scan_policy(const Rows& rows) {
    const auto m = static_cast<std::int64_t>(rows.begin(static_cast<std::size_t>(rows.n())));
    return {rows.n(), m, false, 1};
  }

  /// Returns whether it stopped because all targets are settled.
  bool search(V source, std::span<const std::int64_t> targets) {
    core_.restart(delta_);
    const bool keep_touched = !targets.empty();
    if (keep_touched) {
      if (touched_.size() == 0) touched_ = PageArray<V>(labels_.size() + 1);
      touched_[0] = source;
      touched_count_ = 1;
    }
    labels_[static_cast<std::size_t>(source)] = 0;
    core_.buckets.put(0, source);
    std::size_t settled = 0;  // targets, from the first one on, that are settled
    PrivateBuckets hook{*this, keep_touched};
    return core_.drain_all(hook, [&](int current) {
      while (settled < targets.size() && core_.settled(label_of(targets[settled]), current))
        ++settled;
      return settled == targets.size() && settled > 0;
    });
  }

  V number_of(V v) const {
    return rows_.numbers() == nullptr ? v : rows_.numbers()[static_cast<std::size_t>(v)];
  }
  L label_of(std::int64_t v) const {
    return labels_[static_cast<std::size_t>(number_of(static_cast<V>(v)))];
  }

  /// Writes every distance and resets the labels for the next search. Returns the largest label.
  template <class Out>
  L write(std::span<Out> row) {
    L largest = 0;
    const auto put = [&](Out& place, L& at) {
      const L label = std::exchange(at, initial_);
      largest = std::max(largest, label == initial_ ? L{0} : label);
      place = result<Out>(label);
    };
    if (const V* const numbers = rows_.numbers())
      for (std::size_t v = 0; v < row.size(); ++v)
        put(row[v], labels_[static_cast<std::size_t>(numbers[v])]);
    else
      for (std::size_t v = 0; v < row.size(); ++v) put(row[v], labels_[v]);
    return largest;
  }

  template <class Out>
  L write_some(std::span<const std::int64_t> targets, std::span<Out> row) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = result<Out>(label_of(targets[c]));
    L largest = 0;
    for (std::size_t i = 0; i < touched_count_; ++i)
      largest = std::max(largest,
                         std::exchange(labels_[static_cast<std::size_t>(touched_[i])], initial_));
    return largest;
  }

  template <class Out>
  Out result(L label) const {
    return label == initial_ ? unreachable<Out> : narrow<Out, D>(static_cast<D>(label));
  }

  const Rows& rows_;
  const double delta_;
  const L initial_;
  const W max_weight_;
  PageArray<L> labels_;
  PageArray<V> touched_;  // with targets: the vertices whose labels were lowered
  std::size_t touched_count_ = 0;
  BucketCore<Rows, L> core_;
};

}  // namespace warpath
