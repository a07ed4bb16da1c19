// flags.hpp - vertex flags, one byte of 0 or 1 each, tested 64 at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace warpath {

using Flags = std::span<const std::uint8_t>;

/// The number of flags that are tested together: a cache line.
constexpr std::size_t kFlagBlock = 64;

constexpr std::size_t flag_blocks(std::size_t n) { return (n + kFlagBlock - 1) / kFlagBlock; }

/// The smallest half-open range that contains all added places.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  void add(std::size_t first, std::size_t behind) {
    begin = end == 0 ? first : std::min(begin, first);
    end = std::max(end, behind);
  }
  void add(std::size_t place) { add(place, place + 1); }
};

/// Eight flags as one word; the first is in the lowest or highest byte (endianness).
inline std::uint64_t flag_word(const std::uint8_t* flags) {
  std::uint64_t word;
  std::memcpy(&word, flags, sizeof word);
  return word;
}

/// Whether any flag of a whole block is set.
inline bool any_of_block(const std::uint8_t* flags) {
  std::uint64_t any = 0;
  for (std::size_t word = 0; word < kFlagBlock; word += 8) any |= flag_word(flags + word);
  return any != 0;
}

/// Whether any flag of a block is set; the last block may be incomplete.
inline bool any_flag(Flags flags, std::size_t block) {
  const std::size_t begin = block * kFlagBlock;
  if (begin + kFlagBlock <= flags.size()) return any_of_block(flags.data() + begin);
  return std::find(flags.begin() + static_cast<std::ptrdiff_t>(begin), flags.end(), 1) !=
         flags.end();
}

/// Calls f(vertex) for each set flag of a block, in ascending order.
template <class F>
inline void for_each_set_of(Flags flags, std::size_t block, F&& f) {
  const std::size_t begin = block * kFlagBlock;
  const std::size_t end = std::min(flags.size(), begin + kFlagBlock);
  if (!any_flag(flags, block)) return;
  for (std::size_t v = begin; v < end; ++v)
    if (flags[v]) f(v);
}

/// Calls f(vertex) for each set flag, in ascending order.
template <class F>
inline void for_each_set(Flags flags, F&& f) {
  for (std::size_t block = 0; block < flag_blocks(flags.size()); ++block)
    for_each_set_of(flags, block, f);
}

/// Clears all flags, writing only to blocks with a set flag. Returns whether any flag was set.
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
