#include <nanobind/stl/string.h>

#include <string>

#include "graph_rows.hpp"
#include "warpath/io/write_text.hpp"

namespace warpath::bindings {

void register_write(nb::module_& module) {
  for_each_type_and_width([&]<class V, class W>() {
    module.def(
        "format_edges",
        [](In<V> src, In<V> dst, In<W> weights, std::int64_t base, const std::string& prefix) {
          require_size(dst.size(), src.size(), "dst");
          require(weights.size() == src.size() || weights.size() == 0,
                  "weights must have an entry for each edge, or none at all");
          require(base == 0 || base == 1, "base must be 0 or 1");
          Control control(python_tick(nb::none()));
          std::string text;
          {
            const nb::gil_scoped_release free;
            text =
                format_edges<V, W>(view(src), view(dst), view(weights),
                                   static_cast<std::uint64_t>(base), prefix, Poller(control, true));
          }
          return nb::bytes(text.data(), text.size());
        },
        nb::arg("src").noconvert(), nb::arg("dst").noconvert(), nb::arg("weights").noconvert(),
        nb::kw_only(), nb::arg("base"), nb::arg("prefix") = "");
  });
}

}  // namespace warpath::bindings
