#include "common.hpp"

namespace warpath::bindings {

void register_write(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
