// vertex_marks.hpp - flags of vertices that a repair sets, and clears before it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpath {

enum class Mark : std::uint8_t {
  kSaved = 1,      // in the log of the batch
  kAffected = 2,   // the distance may grow
  kSearched = 4,   // the predecessor is searched among all in-edges
  kCollected = 8,  // among the vertices whose level may change
};

/// A byte of flags for each vertex, all clear between two repairs.
class VertexMarks {
 public:
  explicit VertexMarks(std::size_t n) : marks_(n) {}

  template <class V>
  bool has(V v, Mark mark) const {
    return (marks_[static_cast<std::size_t>(v)] & static_cast<std::uint8_t>(mark)) != 0;
  }

  /// Sets a flag; returns whether it was clear.
  template <class V>
  bool set(V v, Mark mark) {
    if (has(v, mark)) return false;
    marks_[static_cast<std::size_t>(v)] |= static_cast<std::uint8_t>(mark);
    return true;
  }

  template <class V>
  void clear(V v) {
    marks_[static_cast<std::size_t>(v)] = 0;
  }

  std::size_t nbytes() const { return marks_.capacity(); }

 private:
  std::vector<std::uint8_t> marks_;
};

}  // namespace warpath
