// text.hpp - scanning numbers, columns and lines of a text file, with line numbers in errors.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__APPLE__)
#include <xlocale.h>  // newlocale, strtod_l
#endif

namespace warpath {

/// An error in a text, and its position. `line` counts from 1; 0 means the whole file. `found` is
/// the offending text as in the file, or the start of a long one; Python shortens and escapes it.
class ParseError : public std::runtime_error {
 public:
  ParseError(std::int64_t line, const std::string& message, std::string_view found = {})
      : std::runtime_error(message), line(line), found(found.substr(0, kShown)) {}

  static constexpr std::size_t kShown = 1024;  // a file without newlines is one long line

  std::int64_t line;
  std::string found;
};

/// The unread part of a file, with a line counter.
class Text {
 public:
  Text(std::string_view text, std::int64_t line)
      : begin_(text.data()), at(text.data()), end(text.data() + text.size()), line_(line) {
    line_begin_ = at;
  }

  std::int64_t position() const { return at - begin_; }
  std::int64_t line() const { return line_; }
  std::int64_t left() const { return end - at; }

  /// Moves to the first character of the next line, or to the end.
  void next_line() {
    const auto* newline =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    at = newline != nullptr ? newline + 1 : end;
    line_begin_ = at;
    ++line_;
  }

  /// The line that contains `at`, without its end.
  std::string_view current_line() const {
    const auto* newline = static_cast<const char*>(
        std::memchr(line_begin_, '\n', static_cast<std::size_t>(end - line_begin_)));
    const char* stop = newline != nullptr ? newline : end;
    if (stop > line_begin_ && stop[-1] == '\r') --stop;
    return {line_begin_, static_cast<std::size_t>(stop - line_begin_)};
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(line_, message, current_line());
  }

 private:
  const char* begin_;

 public:
  const char* at;
  const char* end;

 private:
  const char* line_begin_;
  std::int64_t line_;
};

enum class Number { kNone, kInteger, kTooLarge };

/// Reads an optional sign and digits from `at` on, and moves `at` past the last digit. Exact: a
/// value outside of int64 gives kTooLarge. The caller checks the characters after the digits.
inline Number scan_integer(const char*& at, const char* end, std::int64_t& value) {
  const char* p = at;
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  const char* digits = p;
  std::uint64_t sum = 0;
  // Eighteen digits cannot overflow, so only longer numbers are tested.
  const char* safe = end - p > 18 ? p + 18 : end;
  while (p < safe && static_cast<unsigned char>(*p - '0') <= 9)
    sum = sum * 10 + static_cast<unsigned char>(*p++ - '0');
  if (p == digits) return Number::kNone;
  bool overflow = false;
  while (p < end && static_cast<unsigned char>(*p - '0') <= 9) {
    const auto digit = static_cast<std::uint64_t>(*p++ - '0');
    overflow = overflow || __builtin_mul_overflow(sum, std::uint64_t{10}, &sum) ||
               __builtin_add_overflow(sum, digit, &sum);
  }
  at = p;
  const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (overflow || sum > limit) return Number::kTooLarge;
  value = static_cast<std::int64_t>(negative ? ~sum + 1 : sum);
  return Number::kInteger;
}

/// Reads a whole token as a double. kNone if it is not a number, kTooLarge if it exceeds the
/// largest double; a number too small for a double is rounded to the nearest one (IEEE).
inline Number scan_real(std::string_view token, double& value) {
  if (!token.empty() && token.front() == '+') {
    token.remove_prefix(1);
    if (!token.empty() && token.front() == '-') return Number::kNone;
  }
  const char* stop = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), stop, value);
  if (end != stop || error == std::errc::invalid_argument) return Number::kNone;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish too large from too small. strtod must use the C locale: in
    // the user's locale, 1.5e-400 may end after the 1.
#if defined(_WIN32)
    static const _locale_t plain = _create_locale(LC_ALL, "C");
    value = _strtod_l(std::string(token).c_str(), nullptr, plain);
#else
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(std::string(token).c_str(), nullptr, plain);
#endif
    if (std::isinf(value)) return Number::kTooLarge;
  }
  return Number::kInteger;
}

/// The numbers of one column in the narrowest type that holds all of them exactly: int32, int64, or
/// double if one has a fraction or an exponent.
class Column {
 public:
  enum class Kind { kInt32, kInt64, kReal };

  explicit Column(Kind kind = Kind::kInt32) : kind_(kind) {}

  void reserve(std::size_t rows) {
    reserved_ = rows;
    if (kind_ == Kind::kInt32) {
      narrow.reserve(rows);
    } else if (kind_ == Kind::kInt64) {
      wide.reserve(rows);
    } else {
      real.reserve(rows);
    }
  }

  void add(std::int64_t value) {
    if (kind_ == Kind::kInt32) {
      const auto small = static_cast<std::int32_t>(value);
      if (small == value) [[likely]] {
        narrow.push_back(small);
        return;
      }
      widen();
    }
    if (kind_ == Kind::kInt64) {
      wide.push_back(value);
    } else {
      real.push_back(static_cast<double>(value));
    }
  }

  void add(double value) {
    if (kind_ != Kind::kReal) make_real();
    real.push_back(value);
  }

  Kind kind() const { return kind_; }

  std::vector<std::int32_t> narrow;
  std::vector<std::int64_t> wide;
  std::vector<double> real;

 private:
  void widen() {
    wide.reserve(std::max(reserved_, narrow.size() + 1));
    wide.assign(narrow.begin(), narrow.end());
    std::vector<std::int32_t>().swap(narrow);
    kind_ = Kind::kInt64;
  }

  void make_real() {
    real.reserve(std::max(reserved_, narrow.size() + wide.size() + 1));
    if (kind_ == Kind::kInt32) {
      real.assign(narrow.begin(), narrow.end());
    } else {
      for (const std::int64_t value : wide) real.push_back(static_cast<double>(value));
    }
    std::vector<std::int32_t>().swap(narrow);
    std::vector<std::int64_t>().swap(wide);
    kind_ = Kind::kReal;
  }

  Kind kind_;
  std::size_t reserved_ = 0;
};

}  // namespace warpath
