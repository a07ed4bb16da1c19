#include <nanobind/stl/string.h>

#include <string>

#include "common.hpp"
#include "warpath/write_text.hpp"

namespace warpath::bindings {

void register_write(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    module.def(
        "format_edges",
        [](In<V> src, In<V> dst, In<W> weights, std::int64_t base, const std::string& prefix) {
          Control control(python_tick(nb::none()));
          std::string text;
          {
            const nb::gil_scoped_release free;
            text = format_edges<V, W>(view(src), view(dst), view(weights), base, prefix,
                                      Pulse(control, true));
          }
          return nb::bytes(text.data(), text.size());
        },
        nb::arg("src").noconvert(), nb::arg("dst").noconvert(), nb::arg("weights").noconvert(),
        nb::kw_only(), nb::arg("base"), nb::arg("prefix") = "");
  });
}

}  // namespace warpath::bindings
