#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/io/write_text.hpp"

namespace warpath::bindings {

namespace {

/// A column as Python passes it: int64, float64 or a list of str, and a mask or None.
struct ColumnArgument {
  TableColumn column;
  std::vector<std::string_view> texts;
};

std::size_t read_column(nb::handle values, nb::handle mask, ColumnArgument& into) {
  std::size_t rows = 0;
  if (In<std::int64_t> integers; integers.read(values)) {
    into.column.integers = view(integers);
    rows = integers.size();
  } else if (In<double> reals; reals.read(values)) {
    into.column.reals = view(reals);
    rows = reals.size();
  } else {
    require(nb::isinstance<nb::list>(values),
            "a column must be an array of int64 or float64, or a list of str");
    for (const nb::handle text : nb::borrow<nb::list>(values)) {
      Py_ssize_t size = 0;
      const char* start = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (!start) throw nb::python_error();
      into.texts.emplace_back(start, static_cast<std::size_t>(size));
    }
    into.column.texts = into.texts;
    rows = into.texts.size();
  }
  if (!mask.is_none()) {
    In<std::uint8_t> present;
    require(present.read(mask), "a mask must be an array of uint8");
    require_size(present.size(), rows, "a mask");
    into.column.present = view(present);
  }
  return rows;
}

}  // namespace

void register_write(nb::module_& module) {
  module.def(
      "format_table",
      [](const nb::list& values, const nb::list& masks, const std::string& delimiter) {
        require_size(masks.size(), values.size(), "masks");
        require_size(delimiter.size(), 1, "delimiter");
        std::vector<ColumnArgument> arguments(values.size());
        std::vector<TableColumn> columns;
        std::size_t rows = 0;
        for (std::size_t c = 0; c < values.size(); ++c) {
          const std::size_t size = read_column(values[c], masks[c], arguments[c]);
          if (c == 0) rows = size;
          require_size(size, rows, "a column");
          columns.push_back(arguments[c].column);
        }
        Control control(python_tick(nb::none()));
        std::string text;
        {
          const nb::gil_scoped_release free;
          text = format_table(columns, 0, rows, delimiter[0], Poller(control, true));
        }
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("values"), nb::arg("masks"), nb::arg("delimiter") = ",");
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
