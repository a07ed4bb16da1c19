// Random batches of changes, each compared with a new solve: distances, tree, rows, and undoing.
//
// dynamic SEED BATCHES: prints the first difference and returns 1, or returns 0.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "warpath/dynamic/dynamic_paths.hpp"
#include "warpath/paths/tree.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace {

using V = std::int32_t;
using warpath::ChangeKind;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void expect(bool holds, const char* what) {
  if (!holds) throw Failure(what);
}

/// A graph as lists of edges in the order that rows have: the model that the rows are compared
/// with.
template <class W>
using Model = std::vector<std::vector<std::pair<V, W>>>;

template <class W>
struct Csr {
  std::vector<std::int64_t> indptr{0};
  std::vector<V> indices;
  std::vector<W> weights;

  explicit Csr(const Model<W>& model) {
    for (const auto& row : model) {
      for (const auto& [end, weight] : row) {
        indices.push_back(end);
        weights.push_back(weight);
      }
      indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  warpath::CsrView<V, W> view() const { return {indptr, indices, weights}; }
};

template <class W>
class Trial {
  using Paths = warpath::DynamicPaths<V, W>;
  using D = warpath::DistanceOf<W>;

 public:
  explicit Trial(std::uint64_t seed) : random_(seed) {
    const V n = static_cast<V>(1 + below(below(3) == 0 ? 40 : 8));
    spread_ = std::vector<int>{1, 2, 3, 10, 1000}[below(5)];
    zeros_ = below(3) == 0;
    model_.resize(static_cast<std::size_t>(n));
    for (std::size_t e = below(static_cast<std::size_t>(4 * n)); e > 0; --e)
      model_[below(model_.size())].push_back({vertex(), weight()});
    closed_ = below(4) == 0 ? static_cast<std::int64_t>(below(static_cast<std::size_t>(n))) : 0;
    for (std::size_t k = 1 + below(3); k > 0; --k) sources_.push_back(vertex());
  }

  void run(int batches) {
    const Csr<W> csr(model_);
    Paths paths(csr.view(), true, closed_, sources_);
    warpath::Control control;
    paths.solve(1, control);
    compare(paths);
    std::optional<Model<W>> undone;  // the model before the last batch that was accepted
    for (int batch = 0; batch < batches; ++batch) {
      const Model<W> before = model_;
      const auto changes = draw();
      const auto region = below(2) ? warpath::Region::kExact : warpath::Region::kSubtrees;
      warpath::RepairLimits limits;
      if (below(8) == 0) limits = {static_cast<std::int64_t>(below(3)), 2};
      const auto refusal =
          paths.apply(changes, region, limits, 1 + static_cast<int>(below(2)), control);
      expect(!refusal, "a batch was refused");
      for (const std::int64_t row : std::vector(paths.stale())) solve_anew(paths, row);
      compare(paths);
      if (below(3) == 0) {
        paths.abandon();
        model_ = before;
        compare(paths);
      } else {
        paths.accept();
        undone = before;
      }
      if (below(3) > 0) continue;
      expect(paths.undo() == undone.has_value(), "an accepted batch is undone once");
      if (undone) model_ = *std::exchange(undone, std::nullopt);
      expect(!paths.undo(), "a batch is undone once");
      compare(paths);
    }
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  V vertex() { return static_cast<V>(below(model_.size())); }
  W weight() {
    const auto drawn = static_cast<W>(below(static_cast<std::size_t>(spread_)) + (zeros_ ? 0 : 1));
    // Of very different magnitudes: sums of floats absorb the small ones.
    if constexpr (std::is_floating_point_v<W>)
      return below(4) == 0 ? drawn * static_cast<W>(1e9) : drawn / 3;
    else
      return drawn;
  }

  std::vector<warpath::EdgeChange<V, W>> draw() {
    std::vector<warpath::EdgeChange<V, W>> changes;
    std::set<std::pair<V, std::size_t>> taken;
    std::vector<std::pair<V, std::size_t>> removed;
    Model<W> after = model_;
    for (std::size_t k = 1 + below(below(4) == 0 ? 12 : 2); k > 0; --k) {
      const V u = vertex();
      auto& row = model_[static_cast<std::size_t>(u)];
      const std::size_t kind = below(5);
      if (kind == 0 || row.empty()) {
        const std::pair<V, W> edge{vertex(), weight()};
        after[static_cast<std::size_t>(u)].push_back(edge);
        changes.push_back({ChangeKind::kInsert, u, edge.first, -1, edge.second});
        continue;
      }
      const std::size_t at = below(row.size());
      if (!taken.insert({u, at}).second) continue;
      std::int64_t position = 0;
      for (std::size_t e = 0; e < at; ++e) position += row[e].first == row[at].first;
      if (kind == 1) {
        removed.push_back({u, at});
        changes.push_back({ChangeKind::kDelete, u, row[at].first, position, W{}});
      } else {
        const W now = weight();
        after[static_cast<std::size_t>(u)][at].second = now;
        changes.push_back({ChangeKind::kUpdate, u, row[at].first, position, now});
      }
    }
    std::sort(removed.rbegin(), removed.rend());
    for (const auto& [u, at] : removed) {
      auto& row = after[static_cast<std::size_t>(u)];
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    }
    model_ = after;
    return changes;
  }

  /// The distances and the tree of one source, by the loops that the package uses elsewhere. Edges
  /// out of closed vertices other than the source are left out.
  std::pair<std::vector<D>, std::vector<V>> anew(V source) const {
    Model<W> open = model_;
    for (std::int64_t u = 0; u < closed_; ++u)
      if (u != source) open[static_cast<std::size_t>(u)].clear();
    const Csr<W> csr(open);
    std::vector<D> dist(model_.size());
    std::vector<V> pred(model_.size());
    warpath::Control control;
    warpath::QuaternaryHeap<D, V> heap;
    const auto view = csr.view();
    warpath::dijkstra<V, W>(view, source, std::span<D>(dist), heap, {}, warpath::unreachable<D>,
                            warpath::Poller(control, true));
    const warpath::InEdges<V, W> none{};
    warpath::TreeBuilder<V, W>(view, none, source, dist, pred, 1, false, control).build(false);
    return {dist, pred};
  }

  void solve_anew(Paths& paths, std::int64_t row) {
    const auto [dist, pred] = anew(static_cast<V>(sources_[static_cast<std::size_t>(row)]));
    warpath::Control control;
    if (below(2) == 0)
      paths.replace(static_cast<std::size_t>(row), dist, pred);
    else
      paths.replace(static_cast<std::size_t>(row), dist, 1 + static_cast<int>(below(2)), control);
  }

  void compare(const Paths& paths) const {
    const Csr<W> csr(model_);
    Csr<W> found{Model<W>(model_.size())};
    found.indices.resize(static_cast<std::size_t>(paths.graph().edges()));
    found.weights.resize(found.indices.size());
    paths.graph().out().write(found.indptr, found.indices, found.weights);
    expect(
        found.indptr == csr.indptr && found.indices == csr.indices && found.weights == csr.weights,
        "the rows differ");
    for (std::size_t row = 0; row < sources_.size(); ++row) {
      const auto [dist, pred] = anew(static_cast<V>(sources_[row]));
      const auto& state = paths.state(row);
      expect(std::equal(dist.begin(), dist.end(), state.all_dist().begin()), "a distance differs");
      expect(std::equal(pred.begin(), pred.end(), state.all_pred().begin()),
             "a predecessor differs");
    }
  }

  std::mt19937_64 random_;
  Model<W> model_;
  std::int64_t closed_;
  std::vector<std::int64_t> sources_;
  int spread_;
  bool zeros_;
};

}  // namespace

int main(int, char** argv) {
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const long batches = std::strtol(argv[2], nullptr, 10);
  constexpr int kTogether = 20;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(batches) / kTogether;
       ++seed) {
    try {
      switch (seed % 4) {
        case 0:
          Trial<std::int32_t>(seed).run(kTogether);
          break;
        case 1:
          Trial<std::int64_t>(seed).run(kTogether);
          break;
        case 2:
          Trial<float>(seed).run(kTogether);
          break;
        default:
          Trial<double>(seed).run(kTogether);
      }
    } catch (const Failure& failure) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), failure.what());
      return 1;
    }
  }
  return 0;
}
