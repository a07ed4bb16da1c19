#include "common.hpp"

namespace warpath::bindings {

void register_bellman_ford(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
