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
    if (!last_.replaced) last_.saved.push_back({v, dist(v), pred(v), level(v)});
  }
  std::span<const Saved> saved() const { return last_.saved; }

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
    if (last_.replaced) {
      dist_ = std::move(last_.before.dist);
      pred_ = std::move(last_.before.pred);
      level_ = std::move(last_.before.level);
    } else {
      revert_saved();
    }
    last_.clear();
  }

  /// Begins a batch. Until `accept` the batch before can be restored.
  void begin() {
    std::swap(last_, earlier_);
    last_.clear();
  }

  /// Makes the batch before one that was taken back the last one again.
  void restore() { std::swap(last_, earlier_); }

  /// Forgets the batch before the last one.
  void accept() { earlier_.clear(); }

  /// Forgets the last batch.
  void forget() { last_.clear(); }

  /// Calls visit(v, old, now) for each vertex whose distance the last batch changed.
  template <class Visit>
  void each_change(Visit&& visit) const {
    if (last_.replaced) {
      const std::vector<D>& before = last_.before.dist;
      for (std::size_t v = 0; v < dist_.size(); ++v)
        if (dist_[v] != before[v]) visit(static_cast<V>(v), before[v], dist_[v]);
      return;
    }
    for (const Saved& one : last_.saved)
      if (dist(one.vertex) != one.dist) visit(one.vertex, one.dist, dist(one.vertex));
  }

  std::size_t nbytes() const {
    std::size_t total = bytes(dist_) + bytes(pred_) + bytes(level_);
    for (const Log* log : {&last_, &earlier_})
      total += bytes(log->saved) + bytes(log->before.dist) + bytes(log->before.pred) +
               bytes(log->before.level);
    return total;
  }

 private:
  struct Arrays {
    std::vector<D> dist;
    std::vector<V> pred, level;
  };

  /// What a batch changed.
  struct Log {
    std::vector<Saved> saved;
    Arrays before;  // all labels before the batch, where they were replaced
    bool replaced = false;

    void clear() {
      saved.clear();
      before = {};
      replaced = false;
    }
  };

  void replace(Arrays&& fresh) {
    revert_saved();
    last_.before = {std::move(dist_), std::move(pred_), std::move(level_)};
    last_.replaced = true;
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
    for (const Saved& one : last_.saved) {
      set_dist(one.vertex, one.dist);
      set_pred(one.vertex, one.pred);
      set_level(one.vertex, one.level);
    }
    last_.saved.clear();
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
  Log last_;     // of the last batch
  Log earlier_;  // of the one before it, until it is accepted
};

}  // namespace warpath
