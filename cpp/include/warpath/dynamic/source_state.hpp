// source_state.hpp - the labels and the tree of one source, and what the last batch changed in
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"

namespace warpath {

/// The distances from one source and the tree of rule 2, with a log of the last batch.
///
/// `level` is 0 for the source and for vertices with a predecessor that is nearer to the source. A
/// vertex whose tight edges all have length 0 is one level above its predecessor. The array is
/// empty while all levels are 0.
template <Index V, Weight W>
class SourceState {
 public:
  using D = DistanceOf<W>;

  struct Saved {
    V vertex;
    D dist;
    V pred;
    V level;
  };

  SourceState(V source, std::size_t n) : source_(source), dist_(n, unreachable<D>), pred_(n, -1) {
    dist_[at(source)] = 0;
  }

  V source() const { return source_; }
  std::span<const D> all_dist() const { return dist_; }
  std::span<const V> all_pred() const { return pred_; }
  D dist(V v) const { return dist_[at(v)]; }
  V pred(V v) const { return pred_[at(v)]; }
  V level(V v) const { return level_.empty() ? V{0} : level_[at(v)]; }

  /// Changes a vertex that is saved.
  void set_dist(V v, D dist) { dist_[at(v)] = dist; }
  void set_pred(V v, V pred) { pred_[at(v)] = pred; }
  void set_level(V v, V level) {
    if (level_.empty()) {
      if (level == 0) return;
      level_.assign(dist_.size(), 0);
    }
    level_[at(v)] = level;
  }

  /// Records a vertex as it was before the batch, once for each vertex and batch. Not needed after
  /// `replace`, which keeps all of them.
  void save(V v) {
    if (!replaced_) saved_.push_back({v, dist(v), pred(v), level(v)});
  }
  std::span<const Saved> saved() const { return saved_; }

  /// Replaces all labels. Returns false, without a change, if `pred` is not a tree.
  bool replace(std::span<const D> dist, std::span<const V> pred) {
    bool nearer = true;  // each predecessor is nearer than its vertex, so that there is no cycle
    const auto n = static_cast<V>(pred.size());
    for (std::size_t v = 0; v < pred.size(); ++v) {
      if (pred[v] < -1 || pred[v] >= n) return false;
      nearer &= pred[v] < 0 || dist[at(pred[v])] < dist[v];
    }
    if (!nearer && !is_tree(pred)) return false;
    Arrays fresh{{dist.begin(), dist.end()}, {pred.begin(), pred.end()}, {}};
    if (!nearer) fresh.level = levels_of(fresh);
    replace(std::move(fresh));
    return true;
  }

  /// Replaces all distances. No vertex has a predecessor then.
  void replace(std::span<const D> dist) {
    replace(Arrays{{dist.begin(), dist.end()}, std::vector<V>(dist.size(), -1), {}});
  }

  /// Takes the last batch back.
  void revert() {
    if (replaced_) {
      dist_ = std::move(before_.dist);
      pred_ = std::move(before_.pred);
      level_ = std::move(before_.level);
    } else {
      revert_saved();
    }
    forget();
  }

  /// Forgets the last batch.
  void forget() {
    saved_.clear();
    before_ = {};
    replaced_ = false;
  }

  /// Calls visit(v, old, now) for each vertex whose distance the last batch changed.
  template <class Visit>
  void each_change(Visit&& visit) const {
    if (replaced_) {
      for (std::size_t v = 0; v < dist_.size(); ++v)
        if (dist_[v] != before_.dist[v]) visit(static_cast<V>(v), before_.dist[v], dist_[v]);
      return;
    }
    for (const Saved& one : saved_)
      if (dist(one.vertex) != one.dist) visit(one.vertex, one.dist, dist(one.vertex));
  }

  std::size_t nbytes() const {
    return bytes(dist_) + bytes(pred_) + bytes(level_) + bytes(saved_) + bytes(before_.dist) +
           bytes(before_.pred) + bytes(before_.level);
  }

 private:
  struct Arrays {
    std::vector<D> dist;
    std::vector<V> pred, level;
  };

  void replace(Arrays&& fresh) {
    revert_saved();
    before_ = {std::move(dist_), std::move(pred_), std::move(level_)};
    replaced_ = true;
    dist_ = std::move(fresh.dist);
    pred_ = std::move(fresh.pred);
    level_ = std::move(fresh.level);
  }

  static std::size_t at(V v) { return static_cast<std::size_t>(v); }

  template <class T>
  static std::size_t bytes(const std::vector<T>& values) {
    return values.capacity() * sizeof(T);
  }

  void revert_saved() {
    for (const Saved& one : saved_) {
      set_dist(one.vertex, one.dist);
      set_pred(one.vertex, one.pred);
      set_level(one.vertex, one.level);
    }
    saved_.clear();
  }

  /// Whether predecessors in -1 .. n - 1 have no cycle. Each vertex is passed once: O(n).
  static bool is_tree(std::span<const V> pred) {
    enum : std::int8_t { kNew, kOnPath, kDone };
    std::vector<std::int8_t> seen(pred.size(), kNew);
    for (std::size_t v = 0; v < pred.size(); ++v) {
      auto u = static_cast<V>(v);
      for (; u >= 0 && seen[at(u)] == kNew; u = pred[at(u)]) seen[at(u)] = kOnPath;
      if (u >= 0 && seen[at(u)] == kOnPath) return false;
      for (u = static_cast<V>(v); u >= 0 && seen[at(u)] == kOnPath; u = pred[at(u)])
        seen[at(u)] = kDone;
    }
    return true;
  }

  /// The levels of a tree; empty if all are 0. Each vertex is passed once: O(n).
  static std::vector<V> levels_of(const Arrays& labels) {
    const auto flat = [&](std::size_t v) {
      const V pred = labels.pred[v];
      return pred < 0 || labels.dist[at(pred)] < labels.dist[v];
    };
    std::vector<V> levels, path;
    for (std::size_t v = 0; v < labels.dist.size(); ++v) {
      if (flat(v)) continue;
      if (levels.empty()) levels.assign(labels.dist.size(), 0);
      for (std::size_t u = v; !flat(u) && levels[u] == 0; u = at(labels.pred[u]))
        path.push_back(static_cast<V>(u));
      for (; !path.empty(); path.pop_back())
        levels[at(path.back())] = static_cast<V>(levels[at(labels.pred[at(path.back())])] + 1);
    }
    return levels;
  }

  V source_;
  std::vector<D> dist_;
  std::vector<V> pred_, level_;
  std::vector<Saved> saved_;
  Arrays before_;  // all labels before the batch, where they were replaced
  bool replaced_ = false;
};

}  // namespace warpath
