#include "common.hpp"

namespace warpath::bindings {

void register_read(nb::module_& module) { (void)module; }

}  // namespace warpath::bindings
