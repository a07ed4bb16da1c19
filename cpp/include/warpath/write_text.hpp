// write_text.hpp - edges as lines of text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpath/control.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// Appends a number in the fewest characters that read back as the same bits. A float always shows
/// that it is one (1.0, not 1), so that reading gives floats again.
template <class T>
void append_number(std::string& out, T value) {
  char digits[40];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  (void)error;  // 40 characters hold the longest shortest form
  out.append(digits, end);
  if constexpr (std::is_floating_point_v<T>) {
    const std::string_view shown(digits, static_cast<std::size_t>(end - digits));
    if (std::isfinite(value) && shown.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

/// Lines "prefix u v w", vertices numbered from `base`; no w where `weights` is empty. Work
/// O(edges).
template <Index V, Weight W>
std::string format_edges(std::span<const V> src, std::span<const V> dst, std::span<const W> weights,
                         std::int64_t base, std::string_view prefix, Pulse pulse) {
  std::string out;
  out.reserve(src.size() * (weights.empty() ? 16 : 24));
  for (std::size_t e = 0; e < src.size(); ++e) {
    pulse.beat();
    out += prefix;
    append_number(out, static_cast<std::int64_t>(src[e]) + base);
    out += ' ';
    append_number(out, static_cast<std::int64_t>(dst[e]) + base);
    if (!weights.empty()) {
      out += ' ';
      append_number(out, weights[e]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace warpath
