// write_text.hpp - writes edges as lines of text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The most characters that `put_number` writes: -1.7976931348623157e+308, and a margin.
constexpr std::size_t kNumberWidth = 40;

/// Writes a number at `at` in the fewest characters that read back as the same bits; returns the
/// end. A float is always recognisable (1.0, not 1), so that reading gives floats again.
template <class T>
char* put_number(char* at, T value) {
  char* end = std::to_chars(at, at + kNumberWidth, value).ptr;
  if constexpr (std::is_floating_point_v<T>) {
    const std::string_view shown(at, static_cast<std::size_t>(end - at));
    if (std::isfinite(value) && shown.find_first_of(".e") == std::string_view::npos) {
      *end++ = '.';
      *end++ = '0';
    }
  }
  return end;
}

/// Writes lines "prefix u v w" with vertices (>= 0) numbered from `base`; without w if `weights` is
/// empty. Work O(edges).
template <Index V, Weight W>
std::string format_edges(std::span<const V> src, std::span<const V> dst, std::span<const W> weights,
                         std::uint64_t base, std::string_view prefix, Poller poller) {
  std::string out;
  out.reserve(src.size() * (weights.empty() ? 16 : 24));
  std::string line(prefix);
  line.resize(prefix.size() + 3 * (kNumberWidth + 1));
  const auto number = [base](V v) { return static_cast<std::uint64_t>(v) + base; };
  for (std::size_t e = 0; e < src.size(); ++e) {
    poller.step();
    char* at = put_number(line.data() + prefix.size(), number(src[e]));
    *at++ = ' ';
    at = put_number(at, number(dst[e]));
    if (!weights.empty()) {
      *at++ = ' ';
      at = put_number(at, weights[e]);
    }
    *at++ = '\n';
    out.append(line.data(), at);
  }
  return out;
}

/// A column of a table: one of integers, reals and texts has the rows, which `present` masks.
struct TableColumn {
  std::span<const std::int64_t> integers;
  std::span<const double> reals;
  std::span<const std::string_view> texts;
  std::span<const std::uint8_t> present;  // empty: all are
};

/// Writes a real number without an exponent from 1e-4 to 1e16, as people write it; see
/// `put_number`.
inline char* put_plain_real(char* at, double value) {
  const double size = std::abs(value);
  if (!(size >= 1e5 && size < 1e16)) return put_number(at, value);
  char* end = std::to_chars(at, at + kNumberWidth, value, std::chars_format::fixed).ptr;
  if (std::string_view(at, end).find('.') == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  return end;
}

/// Writes rows [first, last) of a table as lines of cells between delimiters. Work O(cells).
inline std::string format_table(std::span<const TableColumn> columns, std::size_t first,
                                std::size_t last, char delimiter, Poller poller) {
  std::string out;
  char number[kNumberWidth];
  for (std::size_t row = first; row < last; ++row) {
    char end = delimiter;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      poller.step();
      const TableColumn& column = columns[c];
      if (column.present.empty() || column.present[row]) {
        if (!column.texts.empty())
          out.append(column.texts[row]);
        else if (!column.reals.empty())
          out.append(number, put_plain_real(number, column.reals[row]));
        else
          out.append(number, put_number(number, column.integers[row]));
      }
      if (c + 1 == columns.size()) end = '\n';
      out.push_back(end);
    }
  }
  return out;
}

}  // namespace warpath
