#include "common.hpp"

namespace warpath::bindings {

void register_sssp(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
