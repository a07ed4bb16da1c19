#include "common.hpp"

namespace warpath::bindings {

void register_verify(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
