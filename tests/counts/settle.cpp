// The rounds that settle all vertices of the least label: Martin et al. 2009 on a CPU.
#include "counts.hpp"
#include "warpath/sssp/compound_frontier.hpp"

using namespace counts;

void rounds(bool pull) {
  const auto graph = rmat<std::int32_t>();
  const CsrView<V, std::int32_t> view = graph.view();
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<std::int64_t> dist(n, unreachable<std::int64_t>);
  std::vector<std::uint8_t> frontier(n), unsettled(n, 1);
  std::vector<std::int64_t> least(warpath::minimum_blocks(n));
  const auto blocks = warpath::block_edges<V>(view.indptr, view.indices);
  dist[0] = 0;
  frontier[0] = 1;
  unsettled[0] = 0;
  count([&] {
    for (;;) {
      if (pull)
        warpath::relax_u<V, std::int32_t>(view, blocks.into, blocks.from, dist, frontier,
                                          unsettled);
      else
        warpath::relax_f<V, std::int32_t>(view, dist, frontier, unsettled);
      const auto next = warpath::minimum<std::int64_t>(dist, unsettled, least, kBytes);
      if (next == unreachable<std::int64_t>) return;
      warpath::update<std::int64_t>(dist, unsettled, frontier, next, least);
    }
  });
}

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"push.rmat.int32", [] { rounds(false); }}, {"pull.rmat.int32", [] { rounds(true); }}});
}
