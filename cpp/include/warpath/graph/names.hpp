// names.hpp - consecutive numbers for names, in the order of their first appearance.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "warpath/generate/random.hpp"

namespace warpath {

/// A hash table with linear probing. A name of up to seven bytes is its own key, so that a lookup
/// reads one place in memory; the key of a longer name is a hash, and the text is compared. The
/// names must outlive the table.
class NameTable {
 public:
  /// Returns the number of a name; a new name gets the next number.
  std::int64_t number(std::string_view name) {
    if (2 * names_.size() >= slots_.size()) grow();
    const std::uint64_t key = key_of(name);
    for (std::uint64_t at = mix(key);; ++at) {
      Slot& slot = slots_[at & mask_];
      if (slot.number < 0) {
        slot = {key, static_cast<std::int64_t>(names_.size())};
        names_.push_back(name);
        return slot.number;
      }
      if (slot.key == key &&
          (name.size() <= kShort || names_[static_cast<std::size_t>(slot.number)] == name))
        return slot.number;
    }
  }

  std::vector<std::string_view> take() { return std::move(names_); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::int64_t number = -1;
  };

  static constexpr std::size_t kShort = 7;

  /// Short names: the bytes, with the length in the top byte. Long names: a hash, with a top byte
  /// that no short name has.
  static std::uint64_t key_of(std::string_view name) {
    std::uint64_t word = 0;
    if (name.size() <= kShort) {
      std::memcpy(&word, name.data(), name.size());
      return word | static_cast<std::uint64_t>(name.size()) << 56;
    }
    std::uint64_t hash = name.size();
    for (; name.size() >= sizeof word; name.remove_prefix(sizeof word)) {
      std::memcpy(&word, name.data(), sizeof word);
      hash = mix(hash ^ word) + 0x9e3779b97f4a7c15ULL;
    }
    word = 0;
    std::memcpy(&word, name.data(), name.size());
    return mix(hash ^ word) | std::uint64_t{0xff} << 56;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1 << 10 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::uint64_t at = mix(slot.key);
      while (slots_[at & mask_].number >= 0) ++at;
      slots_[at & mask_] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::vector<std::string_view> names_;
};

}  // namespace warpath
