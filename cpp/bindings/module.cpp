#include "common.hpp"
#include "warpath/parallel/workers.hpp"

namespace warpath::bindings {

using Register = void(nb::module_& module);
// One function per file of bindings; each adds its functions to the module. Declared here alone: a
// change of common.hpp compiles every file again.
Register register_rows, register_build, register_sssp, register_sssp_many, register_many_sources,
    register_compound_frontier, register_bellman_ford, register_delta_stepping, register_bmssp,
    register_bucket_team, register_floyd_warshall, register_breadth_first, register_bidirectional,
    register_hierarchy, register_hierarchy_levels, register_hierarchy_totals, register_customizable,
    register_dynamic, register_verify, register_owners, register_visit_order,
    register_networkx_dicts, register_networkx_searches, register_patches, register_components,
    register_partition, register_read, register_write, register_generate, register_completion_flag;

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
  register_build(module);
  register_sssp(module);
  register_sssp_many(module);
  register_many_sources(module);
  register_compound_frontier(module);
  register_bellman_ford(module);
  register_delta_stepping(module);
  register_bmssp(module);
  register_bucket_team(module);
  register_floyd_warshall(module);
  register_breadth_first(module);
  register_bidirectional(module);
  register_hierarchy(module);
  register_hierarchy_levels(module);
  register_hierarchy_totals(module);
  register_customizable(module);
  register_dynamic(module);
  register_verify(module);
  register_owners(module);
  register_visit_order(module);
  register_networkx_dicts(module);
  register_networkx_searches(module);
  register_patches(module);
  register_components(module);
  register_partition(module);
  register_read(module);
  register_write(module);
  register_generate(module);
  register_completion_flag(module);
}
