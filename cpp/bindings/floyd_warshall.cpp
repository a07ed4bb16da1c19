#include "common.hpp"

namespace warpath::bindings {

void register_floyd_warshall(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
