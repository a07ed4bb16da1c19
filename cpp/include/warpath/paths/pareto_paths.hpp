// pareto_paths.hpp - the paths between two vertices that no other path beats in both of two costs.
//
// Work: a search from both ends for each cost, which bound it, then O(q log q) for q labels; their
// number may be exponential in that of the vertices.
// Memory: 64 bytes a vertex, 32 for each label, 24 to 72 more for each that waits. The relaxation
// of a limit adds 56 bytes a vertex and 28 an edge.
//
// A search for one path within a limit that takes long gets another bound, by the first cost plus a
// multiple of the second one: the multiple of the Lagrangian relaxation.
//
// Sources: Handler and Zang 1980 (relaxation); BOA*, Hernandez Ulloa et al. 2020 (labels in
// lexicographic order are compared with the least second cost at their vertex alone); distances
// from both ends that confine the search: Feng et al. 2023.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"
#include "warpath/paths/share.hpp"
#include "warpath/paths/target_distances.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Two numbers >= 0 in lexicographic order; those of floats are ordered as their bits are.
struct CostPair {
  std::uint64_t first, second;

  template <class D>
  static CostPair of(D first, D second) {
    return {std::bit_cast<std::uint64_t>(first), std::bit_cast<std::uint64_t>(second)};
  }
  friend bool operator<(const CostPair& a, const CostPair& b) { return a.wide() < b.wide(); }
  friend bool operator<=(const CostPair& a, const CostPair& b) { return a.wide() <= b.wide(); }
  friend bool operator==(const CostPair& a, const CostPair& b) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide wide() const { return static_cast<Wide>(first) << 64 | second; }
};

/// A queue of labels: those of the next costs are in a heap, the others in buckets by their first
/// cost, unsorted until the costs of their bucket come next.
template <class D>
class LabelQueue {
 public:
  using Entry = QueueEntry<CostPair, std::int64_t>;

  /// First costs lie between `low` and about `high`.
  void start(D low, D high) {
    low_ = static_cast<double>(low);
    scale_ = kBuckets / (static_cast<double>(high) - low_ + 1);
    buckets_.resize(kBuckets);
  }

  std::size_t size() const { return heap_.size() + waiting_; }
  const Entry& top() const { return heap_.top(); }
  void pop(Entry& top) {
    heap_.pop(top, [](const auto&) { return true; });
  }

  void push(D first, CostPair key, std::int64_t label) {
    const double part = (static_cast<double>(first) - low_) * scale_;
    const std::size_t bucket =
        part < kBuckets ? static_cast<std::size_t>(std::max(part, 0.0)) : kBuckets - 1;
    if (bucket <= current_) return heap_.push(key, label);
    buckets_[bucket].push_back({key, label});
    ++waiting_;
  }

  /// Whether the heap has a label; an empty one is filled with those of the next bucket that
  /// `keep(entry)` returns true for. Before, `touch` prefetches its label, then its vertex.
  template <class Touch, class Keep>
  bool fill(Touch&& touch, Keep&& keep) {
    while (heap_.size() == 0 && waiting_ > 0) {
      const std::vector<Entry> bucket = std::exchange(buckets_[++current_], {});
      waiting_ -= bucket.size();
      for (std::size_t i = 0; i < bucket.size(); ++i) {
        if (i + 2 * kAhead < bucket.size()) touch(bucket[i + 2 * kAhead], false);
        if (i + kAhead < bucket.size()) touch(bucket[i + kAhead], true);
        if (keep(bucket[i])) heap_.push(bucket[i].key, bucket[i].vertex);
      }
    }
    return heap_.size() > 0;
  }

 private:
  static constexpr std::size_t kBuckets = 4096;
  static constexpr std::size_t kAhead = 8;

  double low_ = 0, scale_ = 0;
  QuaternaryHeap<CostPair, std::int64_t> heap_;
  std::vector<std::vector<Entry>> buckets_;
  std::size_t current_ = 0;  // the bucket whose labels are in the heap
  std::size_t waiting_ = 0;  // labels in buckets
};

/// The rows of a graph with one of its costs, out of each vertex and into it.
template <Index V, Weight W>
struct CostRows {
  CsrView<V, W> out, into;
};

/// Returns one path for each pair of costs that no other path beats, by the first cost.
///
/// Costs must be >= 0, and sums of either along simple paths below 2^61. `out` of both costs has
/// the same rows. Paths whose second cost exceeds `limit` are not returned; nor those whose second
/// cost is not less than that of the last one divided by 1 + `epsilon`. Of paths of equal costs,
/// each vertex has the first edge into it that is possible; of edges without costs, the one that is
/// searched first. The views must outlive the object. After an exception there are no more paths.
template <Index V, Weight W>
class ParetoPaths {
 public:
  using D = DistanceOf<W>;
  static_assert(sizeof(D) == 8);

  /// The edges of a path from the source on, and its costs, summed from the source on.
  struct Path {
    std::vector<std::int64_t> edges;
    D length, second;
  };

  /// `bytes`: the memory of the labels. The paths do not depend on `threads`. With `relax_after`,
  /// the object returns the first path alone, and relaxes the limit after so many labels.
  ParetoPaths(const CostRows<V, W>& first, const CostRows<V, W>& second, V source, V target,
              D limit, double epsilon, std::size_t bytes, int threads,
              std::optional<std::int64_t> relax_after)
      : first_(first),
        second_(second),
        source_(source),
        target_(target),
        epsilon_(epsilon),
        bytes_(bytes),
        threads_(threads),
        relax_after_(relax_after) {
    set_bound(limit == unreachable<D> ? limit : above(limit));
  }

  ParetoPaths(const ParetoPaths&) = delete;
  ParetoPaths& operator=(const ParetoPaths&) = delete;

  /// The next path; nothing if there is none, or if the labels do not fit their memory.
  std::optional<Path> next(Poller poller) {
    if (ended_) return std::nullopt;
    ended_ = true;  // also after an exception
    if (states_.empty() && !start(poller)) return std::nullopt;
    std::int64_t reached = kNone;
    CostPair reached_at{};
    const auto touch = [&](const auto& entry, bool vertex) {
      if (vertex) {
        __builtin_prefetch(&states_[index(labels(entry.vertex).vertex)]);
      } else {
        __builtin_prefetch(&labels(entry.vertex));
      }
    };
    const auto keep = [&](const auto& entry) { return !beaten(entry); };
    for (QueueEntry<CostPair, std::int64_t> top; queue_.fill(touch, keep); poller.step()) {
      if (reached != kNone && queue_.top().key != reached_at) break;
      queue_.pop(top);
      if (relax_after_ && extended_++ == *relax_after_) relax_limit(poller);
      if (beaten(top)) continue;
      const std::int64_t at = top.vertex;
      const Label label = labels(at);
      State& state = states_[index(label.vertex)];
      const bool ends = label.vertex == target_;
      state.least = label.second;
      state.last = at;
      if (ends) {
        reached = at;
        reached_at = top.key;
      } else if (!extend(at, label, poller)) {
        full_ = true;
        return std::nullopt;
      }
    }
    if (reached == kNone) return std::nullopt;
    ended_ = relax_after_.has_value();
    const Label& last = labels(reached);
    set_bound(last.second, epsilon_);
    Path path{{}, last.first, last.second};
    for (std::int64_t at = reached; labels(at).edge >= 0; at = labels(at).parent)
      path.edges.push_back(labels(at).edge);
    std::reverse(path.edges.begin(), path.edges.end());
    return path;
  }

  /// Whether the labels did not fit their memory, and how many there were.
  bool full() const { return full_; }
  std::int64_t count() const { return count_; }

 private:
  static constexpr std::int64_t kNone = -1;

  /// A path from the source to a vertex.
  struct Label {
    D first, second;
    std::int64_t edge;  // the last one; negative at the source
    std::uint32_t parent;
    V vertex;
  };

  struct State {
    D rest_first, rest_second;  // lower bounds of the costs to the target
    D least = unreachable<D>;   // the least second cost of the labels that were extended
    std::int64_t last = kNone;  // the last of these labels
  };

  struct Costs {
    double first, second;
  };

  static constexpr int kRelaxations = 16;
  static constexpr double kEps = std::numeric_limits<double>::epsilon();
  static constexpr std::int64_t kTiny = 10'000;  // vertices
  static constexpr int kChunkBits = 12;          // labels in a chunk: 128 KiB
  static constexpr std::int64_t kChunk = std::int64_t{1} << kChunkBits;

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  /// The smallest number above a limit.
  static D above(D limit) {
    if constexpr (std::is_integral_v<D>) {
      return limit + 1;
    } else {
      return std::nextafter(limit, std::numeric_limits<D>::infinity());
    }
  }

  /// At least the value, however its sum was rounded.
  D rounded_up(D value) const {
    if constexpr (std::is_integral_v<D>) return value;
    return value * (1 + 4 * static_cast<D>(first_.out.n()) * std::numeric_limits<D>::epsilon());
  }

  /// Bounds the second costs of later paths.
  void set_bound(D second, double epsilon = 0) {
    bound_ = second;
    if (epsilon > 0) {
      if constexpr (std::is_integral_v<D>) {
        bound_ = least_with_share(epsilon, second);
      } else {
        // The sum and the quotient are rounded: each by half a place at most.
        const auto part = static_cast<D>(static_cast<double>(second) / (1 + epsilon));
        bound_ = std::min(second, above(above(part)));
      }
    }
    loose_ = rounded_up(bound_);
  }

  Label& labels(std::int64_t at) { return chunks_[index(at >> kChunkBits)][at & (kChunk - 1)]; }

  /// False if there is no path within the limit.
  bool start(Poller& poller) {
    // The searches are independent. On tiny graphs a thread would take longer to start than both.
    const int team = first_.out.n() < kTiny ? 1 : std::min(threads_, 2);
    run_team(team, poller.control(), [&](int rank) {
      Poller own(poller.control(), rank == 0);
      if (rank == 0) rest_first_.emplace(first_.out, first_.into, source_, target_, own);
      if (rank == team - 1) rest_second_.emplace(second_.out, second_.into, source_, target_, own);
    });
    if (rest_first_->shortest() == unreachable<D>) return false;
    if (rest_second_->shortest() >= loose_) return false;
    // No vertex matters through which a path is longer than the shortest one by the other cost.
    rest_first_->extend(rounded_up(rest_first_->shortest()), poller);
    rest_second_->extend(rounded_up(rest_second_->shortest()), poller);
    most_second_ = other_cost(first_.out, second_.out, *rest_first_, poller);
    least_first_of_second_ = other_cost(second_.out, first_.out, *rest_second_, poller);
    const D most_first = least_first_of_second_;
    most_first_ = rounded_up(most_first);
    rest_first_->extend(most_first_, poller);
    rest_second_->extend(std::min(loose_, rounded_up(most_second_)), poller);
    states_.assign(index(first_.out.n()), State{-1, 0});
    const D least_first = rest_first_->shortest();
    queue_.start(least_first, most_first == unreachable<D> ? 2 * least_first : most_first);
    full_ = !push(0, 0, kNone, 0, source_, state_of(source_));
    return !full_;
  }

  /// The other cost of a shortest path over edges of which `rest` knows the distances; unreachable
  /// if rounded sums hide it. Depth-first search.
  D other_cost(const CsrView<V, W>& out, const CsrView<V, W>& other,
               const TargetDistances<V, W>& rest, Poller& poller) const {
    std::vector<bool> entered(index(out.n()));
    std::vector<std::pair<V, std::int64_t>> path{{source_, out.indptr[index(source_)]}};
    entered[index(source_)] = true;
    while (!path.empty() && path.back().first != target_) {
      auto& [u, e] = path.back();
      if (e == out.indptr[index(u) + 1]) {
        path.pop_back();
        continue;
      }
      poller.step();
      const std::int64_t edge = e++;
      const V v = out.indices[index(edge)];
      if (entered[index(v)] || static_cast<D>(out.weights[index(edge)] + rest(v)) != rest(u))
        continue;
      entered[index(v)] = true;
      path.emplace_back(v, out.indptr[index(v)]);
    }
    if (path.empty()) return unreachable<D>;
    D sum = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      sum += other.weights[index(path[i].second - 1)];
    return sum;
  }

  /// Bounds the first cost plus a multiple of the second one of paths to the target.
  ///
  /// Two paths enclose the limit. A shortest path by the multiple at which both are equally long
  /// replaces one of them, until there is no shorter one. Any multiple gives a valid bound.
  void relax_limit(Poller& poller) {
    if (bound_ == unreachable<D> || most_second_ == unreachable<D> ||
        least_first_of_second_ == unreachable<D>)
      return;
    Costs within{static_cast<double>(least_first_of_second_),
                 static_cast<double>(rest_second_->shortest())};
    Costs beyond{static_cast<double>(rest_first_->shortest()), static_cast<double>(most_second_)};
    for (int i = 0; i < kRelaxations; ++i) {
      const double multiple = (within.first - beyond.first) / (beyond.second - within.second);
      if (!(multiple > 0) || !std::isfinite(multiple)) break;
      multiple_ = multiple;
      const std::optional<Costs> path = shortest_by(multiple, poller);
      if (!path) break;
      const double known = beyond.first + multiple * beyond.second;
      if (path->first + multiple * path->second >= known * (1 - 1e-12)) break;
      (path->second < static_cast<double>(bound_) ? within : beyond) = *path;
    }
    if (multiple_ == 0 || within.second >= static_cast<double>(bound_)) return;
    const double rounding = 1 + 8 * static_cast<double>(first_.out.n() + 1) * kEps;
    most_mixed_ = (within.first + multiple_ * static_cast<double>(bound_)) * rounding;
    mix();
    rest_mixed_.emplace(*mixed_out_, *mixed_into_, source_, target_, poller);
    rest_mixed_->extend(most_mixed_, poller);
  }

  /// Sets the graph with the sums of both costs as weights.
  void mix() {
    const CsrView<V, W>& out = first_.out;
    mixed_.resize(index(out.m()));
    for (std::size_t e = 0; e < mixed_.size(); ++e)
      mixed_[e] = static_cast<double>(out.weights[e]) +
                  multiple_ * static_cast<double>(second_.out.weights[e]);
    into_indptr_.assign(index(out.n() + 2), 0);
    for (const V v : out.indices) ++into_indptr_[index(v) + 2];
    for (std::size_t v = 2; v < into_indptr_.size(); ++v) into_indptr_[v] += into_indptr_[v - 1];
    into_indices_.resize(mixed_.size());
    into_mixed_.resize(mixed_.size());
    for (V u = 0; u < out.n(); ++u)
      for (std::int64_t e = out.indptr[index(u)]; e < out.indptr[index(u) + 1]; ++e) {
        const std::size_t at = index(into_indptr_[index(out.indices[index(e)]) + 1]++);
        into_indices_[at] = u;
        into_mixed_[at] = mixed_[index(e)];
      }
    into_indptr_.pop_back();
    mixed_out_.emplace(CsrView<V, double>{out.indptr, out.indices, mixed_});
    mixed_into_.emplace(CsrView<V, double>{into_indptr_, into_indices_, into_mixed_});
  }

  /// The costs of a shortest path by the first cost plus a multiple of the second one, of those
  /// through vertices within the bounds: an A* search.
  std::optional<Costs> shortest_by(double multiple, Poller& poller) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<double> dist(index(first_.out.n()), kFar);
    std::vector<std::pair<V, std::int64_t>> via(dist.size(), {-1, -1});
    const auto key = [&](double sum, const State& state) {
      return sum + static_cast<double>(state.rest_first) +
             multiple * static_cast<double>(state.rest_second);
    };
    QuaternaryHeap<double, V> queue;
    dist[index(source_)] = 0;
    queue.push(key(0, state_of(source_)), source_);
    QueueEntry<double, V> top;
    while (queue.pop(top, [](const auto&) { return true; }) && top.vertex != target_) {
      const V u = top.vertex;
      const double here = dist[index(u)];
      if (top.key != key(here, state_of(u))) continue;
      poller.step();
      for (std::int64_t e = first_.out.indptr[index(u)]; e < first_.out.indptr[index(u) + 1]; ++e) {
        const V v = first_.out.indices[index(e)];
        const State& state = state_of(v);
        if (state.rest_first == unreachable<D>) continue;
        const double sum = here + static_cast<double>(first_.out.weights[index(e)]) +
                           multiple * static_cast<double>(second_.out.weights[index(e)]);
        if (sum >= dist[index(v)]) continue;
        dist[index(v)] = sum;
        via[index(v)] = {u, e};
        queue.push(key(sum, state), v);
      }
    }
    if (dist[index(target_)] == kFar) return std::nullopt;
    std::vector<std::int64_t> edges;
    for (V v = target_; v != source_; v = via[index(v)].first)
      edges.push_back(via[index(v)].second);
    Costs costs{0, 0};
    for (auto e = edges.rbegin(); e != edges.rend(); ++e) {
      costs.first += static_cast<double>(first_.out.weights[index(*e)]);
      costs.second += static_cast<double>(second_.out.weights[index(*e)]);
    }
    return costs;
  }

  /// Whether no path within the limit that continues a label is as short as a known one.
  bool is_beyond(D first, D second, V v) const {
    return rest_mixed_ && static_cast<double>(first) + multiple_ * static_cast<double>(second) +
                                  (*rest_mixed_)(v) >
                              most_mixed_;
  }

  State& state_of(V v) {
    State& state = states_[index(v)];
    if (state.rest_first < 0) [[unlikely]] {
      state.rest_first = (*rest_first_)(v);
      state.rest_second = (*rest_second_)(v);
      if (state.rest_second == unreachable<D>) state.rest_first = unreachable<D>;
    }
    return state;
  }

  /// Whether a waiting label is no better than those that were extended; then it is forgotten.
  bool beaten(const QueueEntry<CostPair, std::int64_t>& entry) {
    const Label& label = labels(entry.vertex);
    State& state = states_[index(label.vertex)];
    const D most = label.vertex == target_ ? bound_ : loose_;
    if (label.second < state.least && std::bit_cast<D>(entry.key.second) < most &&
        !is_beyond(label.first, label.second, label.vertex))
      return false;
    compare(state, label.first, label.second, label.edge, label.parent);
    recycle(entry.vertex);
    return true;
  }

  /// Queues the paths that continue a label by one edge. False if they do not fit the memory.
  bool extend(std::int64_t at, const Label& label, Poller& poller) {
    const std::int64_t end = first_.out.indptr[index(label.vertex) + 1];
    std::int64_t e = first_.out.indptr[index(label.vertex)];
    poller.step(end - e);
    for (; e < end; ++e) {
      const V v = first_.out.indices[index(e)];
      State& state = state_of(v);
      if (state.rest_first == unreachable<D>) continue;
      const D second = label.second + second_.out.weights[index(e)];
      if (second > state.least || static_cast<D>(second + state.rest_second) >= loose_) continue;
      const D first = label.first + first_.out.weights[index(e)];
      if (second == state.least) {
        compare(state, first, second, e, at);
      } else if (static_cast<D>(first + state.rest_first) <= most_first_ &&
                 !is_beyond(first, second, v)) {
        if (!push(first, second, e, at, v, state)) return false;
      }
    }
    return true;
  }

  /// Takes another last edge and parent for the label that was extended last, if it has these costs
  /// and the edge is the first that is possible.
  void compare(State& state, D first, D second, std::int64_t edge, std::int64_t parent) {
    if (second != state.least) return;
    Label& last = labels(state.last);
    const auto ascends = [&](std::int64_t from) {
      return labels(from).first < first || labels(from).second < second;
    };
    if (last.first != first || last.edge < 0 || !ascends(parent)) return;
    if (edge >= last.edge && ascends(last.parent)) return;
    last.edge = edge;
    last.parent = static_cast<std::uint32_t>(parent);
  }

  bool push(D first, D second, std::int64_t edge, std::int64_t parent, V v, const State& state) {
    std::int64_t at = free_;
    if (at != kNone) {
      free_ = labels(at).edge;
    } else {
      at = count_;
      if (at == kChunk * static_cast<std::int64_t>(chunks_.size())) {
        // The queue's array doubles, and is copied then.
        const std::size_t needed = (chunks_.size() + 1) * sizeof(Label) * kChunk +
                                   3 * queue_.size() * sizeof(QueueEntry<CostPair, std::int64_t>);
        if (needed > bytes_ || at > std::numeric_limits<std::uint32_t>::max() - kChunk)
          return false;
        chunks_.push_back(std::make_unique_for_overwrite<Label[]>(kChunk));
      }
      ++count_;
    }
    labels(at) = {first, second, edge, static_cast<std::uint32_t>(parent), v};
    const D whole = first + state.rest_first;
    queue_.push(whole, CostPair::of(whole, static_cast<D>(second + state.rest_second)), at);
    return true;
  }

  void recycle(std::int64_t at) {
    labels(at).edge = free_;
    free_ = at;
  }

  const CostRows<V, W> first_, second_;
  const V source_, target_;
  const double epsilon_;
  const std::size_t bytes_;
  const int threads_;
  const std::optional<std::int64_t> relax_after_;
  std::int64_t extended_ = 0;
  D bound_, loose_;  // second costs at the target, and sums that may be rounded, are below
  D most_first_ = unreachable<D>;
  D most_second_ = unreachable<D>;            // of a shortest path by the first cost
  D least_first_of_second_ = unreachable<D>;  // the first cost of a shortest path by the second
  bool ended_ = false, full_ = false;
  std::optional<TargetDistances<V, W>> rest_first_, rest_second_;
  std::vector<State> states_;
  double multiple_ = 0, most_mixed_ = 0;
  std::vector<double> mixed_, into_mixed_;
  std::vector<std::int64_t> into_indptr_;
  std::vector<V> into_indices_;
  std::optional<CsrView<V, double>> mixed_out_, mixed_into_;
  std::optional<TargetDistances<V, double>> rest_mixed_;
  std::vector<std::unique_ptr<Label[]>> chunks_;
  std::int64_t count_ = 0;     // labels in use or in the list of free ones
  std::int64_t free_ = kNone;  // the first free label, whose edge is the next one
  LabelQueue<D> queue_;
};

}  // namespace warpath
