#include "common.hpp"

namespace warpath::bindings {

void register_delta_stepping(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
