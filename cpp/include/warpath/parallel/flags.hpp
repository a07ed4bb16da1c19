// flags.hpp - vertices' flags, a byte of 0 or 1 each, looked at 64 at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace warpath {

using Flags = std::span<const std::uint8_t>;

/// What is looked at together: a cache line.
constexpr std::size_t kFlagBlock = 64;

constexpr std::size_t flag_blocks(std::size_t n) { return (n + kFlagBlock - 1) / kFlagBlock; }

/// From the first to behind the last of the places that were added.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  void add(std::size_t first, std::size_t behind) {
    begin = end == 0 ? first : std::min(begin, first);
    end = std::max(end, behind);
  }
  void add(std::size_t place) { add(place, place + 1); }
};

/// Eight flags as one word, the first in the lowest byte or in the highest.
inline std::uint64_t flag_word(const std::uint8_t* flags) {
  std::uint64_t word;
  std::memcpy(&word, flags, sizeof word);
  return word;
}

/// Whether a whole block has a 1.
inline bool any_of_block(const std::uint8_t* flags) {
  std::uint64_t any = 0;
  for (std::size_t word = 0; word < kFlagBlock; word += 8) any |= flag_word(flags + word);
  return any != 0;
}

/// Whether the flags of a block, the last of which may be cut, have a 1.
inline bool any_flag(Flags flags, std::size_t block) {
  const std::size_t begin = block * kFlagBlock;
  if (begin + kFlagBlock <= flags.size()) return any_of_block(flags.data() + begin);
  return std::find(flags.begin() + static_cast<std::ptrdiff_t>(begin), flags.end(), 1) !=
         flags.end();
}

/// Calls f(vertex) for each 1 of a block in ascending order.
template <class F>
inline void for_each_set_of(Flags flags, std::size_t block, F&& f) {
  const std::size_t begin = block * kFlagBlock;
  const std::size_t end = std::min(flags.size(), begin + kFlagBlock);
  if (!any_flag(flags, block)) return;
  for (std::size_t v = begin; v < end; ++v)
    if (flags[v]) f(v);
}

/// Calls f(vertex) for each 1 in ascending order.
template <class F>
inline void for_each_set(Flags flags, F&& f) {
  for (std::size_t block = 0; block < flag_blocks(flags.size()); ++block)
    for_each_set_of(flags, block, f);
}

/// Sets flags to 0, writing only where there is a 1; returns whether there was.
inline bool clear_flags(std::span<std::uint8_t> flags) {
  bool held = false;
  for (std::size_t block = 0; block < flag_blocks(flags.size()); ++block) {
    if (!any_flag(flags, block)) continue;
    const std::size_t begin = block * kFlagBlock;
    std::memset(flags.data() + begin, 0, std::min(kFlagBlock, flags.size() - begin));
    held = true;
  }
  return held;
}

}  // namespace warpath
