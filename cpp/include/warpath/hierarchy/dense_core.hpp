// dense_core.hpp - the exception for a graph without a useful hierarchy.
#pragma once

#include <cstdint>

namespace warpath {

/// Thrown if removing vertices makes the rest of a graph denser and denser.
struct DenseCore {
  std::int64_t vertices;  // remaining vertices
  std::int64_t arcs;      // between them
  // Of the vertices, those whose removal would add twice the arcs that it removes; 0 if they are
  // not the reason.
  std::int64_t growing = 0;
};

}  // namespace warpath
