// share.hpp - shares of a length, exactly: `long double` has another width on other processors.
#pragma once

#include <cmath>
#include <cstdint>

namespace warpath {

/// The largest integer up to `share * value`, at most 2^62. Both are 0 or more.
inline std::int64_t share_of(double share, std::int64_t value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  constexpr int kDigits = 53;  // of a double
  if (share * static_cast<double>(value) >= 0x1p62) return kMost;
  int exponent = 0;
  const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(share, &exponent), kDigits));
  exponent -= kDigits;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(digits) * value;
  if (exponent >= 0) return static_cast<std::int64_t>(product << exponent);
  return exponent <= -127 ? 0 : static_cast<std::int64_t>(product >> -exponent);
}

/// The smallest integer x with `x * (1 + share) >= value`.
inline std::int64_t least_with_share(double share, std::int64_t value) {
  std::int64_t low = 0;
  std::int64_t high = value;  // fulfils it
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (share_of(share, middle) >= value - middle) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

}  // namespace warpath
