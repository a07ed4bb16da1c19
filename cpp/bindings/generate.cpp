#include "common.hpp"

namespace warpath::bindings {

void register_generate(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
