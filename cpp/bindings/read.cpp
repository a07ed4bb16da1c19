#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "graph_rows.hpp"
#include "warpath/io/read_metis.hpp"
#include "warpath/io/read_rows.hpp"
#include "warpath/io/text.hpp"

namespace warpath::bindings {

namespace {

nb::object as_array(Column&& column) {
  switch (column.kind()) {
    case Column::Kind::kInt32:
      return nb::cast(to_numpy(std::move(column.narrow)));
    case Column::Kind::kInt64:
      return nb::cast(to_numpy(std::move(column.wide)));
    default:
      return nb::cast(to_numpy(std::move(column.real)));
  }
}

nb::object as_list(const std::vector<std::string_view>& names) {
  nb::list out;
  for (const std::string_view name : names) {
    PyObject* text =
        PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "strict");
    if (text == nullptr) {
      PyErr_Clear();
      throw ParseError(0, "a vertex name is not UTF-8 text", name);
    }
    out.append(nb::steal(text));
  }
  return out;
}

Text text_from(const nb::bytes& data, std::int64_t offset, std::int64_t line) {
  const std::string_view whole(data.c_str(), data.size());
  return {whole.substr(std::min(static_cast<std::size_t>(offset), whole.size())), line};
}

/// Checks the number of the first line.
void require_line(std::int64_t line) {
  require(line >= 0 && line <= std::int64_t{1} << 62, "line must lie in 0 .. 2^62");
}

nb::tuple read_rows(nb::bytes data, std::int64_t offset, std::int64_t line, const RowLayout& layout,
                    nb::object progress) {
  Text text = text_from(data, offset, line);
  Control control(python_tick(progress));
  Rows rows;
  {
    const nb::gil_scoped_release free;
    rows = RowReader(text, layout, control).read();
  }
  nb::list columns;
  for (Column& column : rows.columns) columns.append(as_array(std::move(column)));
  return nb::make_tuple(columns, as_list(rows.names));
}

}  // namespace

void register_read(nb::module_& module) {
  // Named after the module as imported; otherwise stubs would attribute it to another module.
  const auto name = nb::cast<std::string>(module.attr("__name__")) + ".ParseError";
  static PyObject* parse_error = PyErr_NewException(name.c_str(), PyExc_ValueError, nullptr);
  module.attr("ParseError") = nb::borrow(parse_error);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const ParseError& error) {
          const nb::tuple args = nb::make_tuple(error.line, nb::str(error.what()),
                                                nb::bytes(error.found.data(), error.found.size()));
          PyErr_SetObject(static_cast<PyObject*>(type), args.ptr());
        }
      },
      parse_error);

  module.def(
      "read_rows",
      [](nb::bytes data, std::int64_t offset, std::int64_t line, const std::string& roles,
         char delimiter, const std::string& comments, char prefix, char terminator,
         std::int64_t low, std::int64_t high, std::int64_t rows, const std::string& expected,
         const std::string& noun, nb::object progress) {
        require(!roles.empty() && roles.find_first_not_of("vltnirc.") == std::string::npos,
                "roles must be letters of \"vltnirc.\", one for each column");
        require(low >= 0 && offset >= 0, "low and offset must be >= 0");
        require_line(line);
        const RowLayout layout{.roles = roles,
                               .delimiter = delimiter,
                               .comments = comments,
                               .prefix = prefix == ' ' ? '\0' : prefix,
                               .terminator = terminator == ' ' ? '\0' : terminator,
                               .low = low,
                               .high = high,
                               .rows = rows,
                               .expected = expected,
                               .noun = noun};
        return read_rows(data, offset, line, layout, progress);
      },
      nb::arg("data"), nb::arg("offset"), nb::arg("line"), nb::arg("roles"), nb::kw_only(),
      nb::arg("delimiter") = ' ', nb::arg("comments") = "", nb::arg("prefix") = ' ',
      nb::arg("terminator") = ' ', nb::arg("low") = 0, nb::arg("high") = -1, nb::arg("rows") = -1,
      nb::arg("expected"), nb::arg("noun") = "rows", nb::arg("progress").none() = nb::none());

  module.def(
      "read_metis",
      [](nb::bytes data, std::int64_t offset, std::int64_t line, std::int64_t n,
         std::int64_t entries, std::int64_t skipped, bool weighted, nb::object progress) {
        require(offset >= 0 && n >= 0 && entries >= 0 && skipped >= 0,
                "offset, n, entries and skipped must be >= 0");
        require_line(line);
        Text text = text_from(data, offset, line);
        Control control(python_tick(progress));
        MetisRows rows;
        {
          const nb::gil_scoped_release free;
          rows = read_metis(text, {n, entries, skipped, weighted}, control);
        }
        return nb::make_tuple(to_numpy(std::move(rows.indptr)), as_array(std::move(rows.indices)),
                              as_array(std::move(rows.weights)), rows.symmetric);
      },
      nb::arg("data"), nb::arg("offset"), nb::arg("line"), nb::kw_only(), nb::arg("n"),
      nb::arg("entries"), nb::arg("skipped"), nb::arg("weighted"),
      nb::arg("progress").none() = nb::none());
}

}  // namespace warpath::bindings
