#include "common.hpp"
#include "warpath/parallel/workers.hpp"

namespace warpath::bindings {

using Register = void(nb::module_& module);
// One function per file of bindings; each adds its functions to the module. Declared here alone: a
// change of common.hpp compiles every file again.
Register register_rows, register_many_sources, register_compound_frontier, register_delta_stepping,
    register_bucket_team, register_floyd_warshall, register_bidirectional, register_hierarchy,
    register_hierarchy_levels, register_hierarchy_totals, register_customizable,
    register_tree_labels, register_hub_labels, register_label_paths, register_dynamic,
    register_visit_order, register_networkx_dicts, register_networkx_searches, register_patches,
    register_partition, register_read, register_write, register_generate, register_route_edges,
    register_simple_paths, register_pareto_paths, register_completion_flag, register_betweenness,
    register_weighted_sums, register_raster;
// Of the files that are compiled once for each width of the indices.
template <Index Width>
Register register_build;
template <Index Width>
Register register_sssp;
template <Index Width>
Register register_sssp_many;
template <Index Width>
Register register_bellman_ford;
template <Index Width>
Register register_breadth_first;
template <Index Width>
Register register_verify;
template <Index Width>
Register register_owners;
template <Index Width>
Register register_components;
// The search that counts and the one that does not.
template <bool kCounted>
Register register_bmssp;

}  // namespace warpath::bindings

NB_MODULE(_core, module) {
  using namespace warpath::bindings;
  nanobind::set_leak_warnings(false);  // a graph that lives until exit keeps its searches alive
  module.doc() = "The loops of warpath on the CPU. Private: arguments are checked in Python.";
#if defined(__clang__)
  module.attr("compiler") = "Clang " __clang_version__;
#else
  module.attr("compiler") = "GCC " __VERSION__;
#endif
  warpath::ThreadPool::get();  // created before the process can fork
  register_rows(module);
  register_build<std::int32_t>(module);
  register_build<std::int64_t>(module);
  register_sssp<std::int32_t>(module);
  register_sssp<std::int64_t>(module);
  register_sssp_many<std::int32_t>(module);
  register_sssp_many<std::int64_t>(module);
  register_many_sources(module);
  register_compound_frontier(module);
  register_bellman_ford<std::int32_t>(module);
  register_bellman_ford<std::int64_t>(module);
  register_delta_stepping(module);
  register_bmssp<false>(module);
  register_bmssp<true>(module);
  register_bucket_team(module);
  register_floyd_warshall(module);
  register_breadth_first<std::int32_t>(module);
  register_breadth_first<std::int64_t>(module);
  register_bidirectional(module);
  register_hierarchy(module);
  register_hierarchy_levels(module);
  register_hierarchy_totals(module);
  register_customizable(module);
  register_tree_labels(module);
  register_hub_labels(module);
  register_label_paths(module);
  register_dynamic(module);
  register_verify<std::int32_t>(module);
  register_verify<std::int64_t>(module);
  register_owners<std::int32_t>(module);
  register_owners<std::int64_t>(module);
  register_visit_order(module);
  register_networkx_dicts(module);
  register_networkx_searches(module);
  register_simple_paths(module);
  register_pareto_paths(module);
  register_patches(module);
  register_components<std::int32_t>(module);
  register_components<std::int64_t>(module);
  register_partition(module);
  register_read(module);
  register_write(module);
  register_generate(module);
  register_route_edges(module);
  register_completion_flag(module);
  register_betweenness(module);
  register_weighted_sums(module);
  register_raster(module);
}
