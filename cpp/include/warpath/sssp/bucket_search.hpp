// bucket_search.hpp - delta-stepping on one thread, for one source after another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/sssp/bucket_window.hpp"
#include "warpath/sssp/dijkstra.hpp"
#include "warpath/sssp/narrow_label.hpp"

namespace warpath {

/// One thread's searches with labels of type L, as wide as the distances or narrower.
///
/// A bucket is a list, so the next vertices to scan are known: their labels, row bounds and rows
/// are prefetched. Whether an edge lowers a label is unpredictable for a processor, so scans only
/// collect such edges, without a branch, and lower the labels of their targets some vertices later.
/// Scans are label-correcting within a bucket. Any order ends in the same labels, because rounding
/// is monotone and weights are >= 0. Work: O(m) relaxations for a small delta. Weights must be >= 0
/// and fit L (`weights_fit`). `Rows` is CsrView or PackedRows. Source: Meyer, Sanders,
/// "Delta-stepping", 2003.
template <class Rows, class W, class L>
class BucketSearch {
 public:
  using V = typename Rows::Vertex;
  using D = DistanceOf<W>;

  BucketSearch(const Rows& rows, double delta, D cutoff, W max_weight, Poller& poller)
      : rows_(rows),
        first_(first_label<L, D>(cutoff)),
        max_weight_(max_weight),
        poller_(poller),
        window_(delta),
        dist_(static_cast<std::size_t>(rows.n()), first_) {}

  /// Solves one source and writes its row, with one column per target, or per vertex if there are
  /// no targets. False if a sum may have been too large for L: the row is then meaningless.
  template <class Out>
  bool solve(V source, std::span<const std::int64_t> targets, std::span<Out> row) {
    window_.start();
    keep_touched_ = !targets.empty();
    const bool stopped = search(number_of(source), targets);
    const L largest = keep_touched_ ? write_some(targets, row) : write(row);
    return stopped || labels_exact<L, W>(largest, max_weight_, first_);
  }

  const SearchCounters& counters() const { return counters_; }
  std::int64_t moves() const { return window_.moves(); }

 private:
  static constexpr std::size_t kAhead = 8;   // vertices between two steps of prefetching
  static constexpr std::size_t kPiece = 16;  // edges of a row per unrolled step
  static constexpr std::size_t kFound = 64;  // collected edges after which targets are lowered

  struct Found {
    V target;
    L label;
  };

  bool search(V source, std::span<const std::int64_t> targets) {
    std::size_t settled = 0;  // targets, from the first one on, that are settled
    touched_.assign(1, source);
    dist_[static_cast<std::size_t>(source)] = 0;
    window_.put(0, source);
    for (int current = 0;;) {
      current = window_.next(current);
      if (current == BucketWindow<L, V>::kFar) {
        const auto label = [this](V v) { return dist_[static_cast<std::size_t>(v)]; };
        if (!window_.move(label, poller_)) return false;
        current = 0;
      }
      while (settled < targets.size() && window_.passed(label_of(targets[settled]), current))
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
      lower(current);
      scanned_.clear();
    }
  }

  // The labels of targets are not prefetched: they mostly are in a cache, and it would cost more
  // than it gains. Forced inline: a compiler may consider a function that only prefetches free of
  // effects and drop it.
  [[gnu::always_inline]] void fetch_ahead(std::size_t i, std::size_t size) const {
    if (i + 2 * kAhead < size) {
      const auto v = static_cast<std::size_t>(scanned_[i + 2 * kAhead]);
      __builtin_prefetch(&dist_[v]);
      rows_.fetch_begin(v);
    }
    if (i + kAhead < size) rows_.fetch(rows_.begin(static_cast<std::size_t>(scanned_[i + kAhead])));
  }

  void scan(V u, int current) {
    const L from = dist_[static_cast<std::size_t>(u)];
    if (window_.passed(from, current)) return poller_.step();  // stale: scanned since
    const std::size_t begin = rows_.begin(static_cast<std::size_t>(u));
    const std::size_t end = rows_.begin(static_cast<std::size_t>(u) + 1);
    const auto degree = static_cast<std::int64_t>(end - begin);
    poller_.step(degree + 1);
    ++counters_.settled;
    counters_.relaxed += degree;
    for (std::size_t e = begin; e < end;) {
      if (count_ > kFound) lower(current);
      std::size_t count = count_;
      for (const std::size_t stop = std::min(end, e + kPiece); e < stop; ++e) {
        const V v = rows_.target(e);
        const L sum = static_cast<L>(from + rows_.template weight<L>(e));
        found_[count] = {v, sum};
        count += sum < dist_[static_cast<std::size_t>(v)];
      }
      count_ = count;
    }
  }

  /// Lowers the labels of the collected edges' targets and puts the targets into buckets.
  void lower(int current) {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto [v, sum] = found_[i];
      const L old = dist_[static_cast<std::size_t>(v)];
      if (!(sum < old)) continue;
      dist_[static_cast<std::size_t>(v)] = sum;
      ++counters_.improved;
      const int bucket = window_.bucket_of(sum);
      if (old == first_) {
        if (keep_touched_) touched_.push_back(v);
      } else if (bucket > current && window_.bucket_of(old) == bucket) {
        continue;  // v is in that bucket already
      }
      window_.put(bucket, v);
    }
    count_ = 0;
  }

  V number_of(V v) const {
    return rows_.numbers() == nullptr ? v : rows_.numbers()[static_cast<std::size_t>(v)];
  }
  L label_of(std::int64_t v) const {
    return dist_[static_cast<std::size_t>(number_of(static_cast<V>(v)))];
  }

  /// Writes every distance and resets the labels for the next search. Returns the largest label.
  template <class Out>
  L write(std::span<Out> row) {
    L largest = 0;
    const auto put = [&](Out& place, L& at) {
      const L label = std::exchange(at, first_);
      largest = std::max(largest, label == first_ ? L{0} : label);
      place = result<Out>(label);
    };
    if (const V* const numbers = rows_.numbers())
      for (std::size_t v = 0; v < row.size(); ++v)
        put(row[v], dist_[static_cast<std::size_t>(numbers[v])]);
    else
      for (std::size_t v = 0; v < row.size(); ++v) put(row[v], dist_[v]);
    return largest;
  }

  template <class Out>
  L write_some(std::span<const std::int64_t> targets, std::span<Out> row) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = result<Out>(label_of(targets[c]));
    L largest = 0;
    for (const V v : touched_)
      largest = std::max(largest, std::exchange(dist_[static_cast<std::size_t>(v)], first_));
    return largest;
  }

  template <class Out>
  Out result(L label) const {
    return label == first_ ? unreachable<Out> : narrow<Out, D>(static_cast<D>(label));
  }

  const Rows& rows_;
  const L first_;
  const W max_weight_;
  Poller& poller_;
  BucketWindow<L, V> window_;
  PageArray<L> dist_;
  bool keep_touched_ = false;  // with targets: reset only the labels that were lowered
  std::vector<V> touched_;
  typename BucketWindow<L, V>::Pile scanned_;
  std::array<Found, kFound + kPiece + 1> found_;
  std::size_t count_ = 0;
  SearchCounters counters_;
};

}  // namespace warpath
