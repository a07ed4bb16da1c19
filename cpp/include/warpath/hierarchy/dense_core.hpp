// dense_core.hpp - the exception for a graph without a useful hierarchy.
#pragma once

#include <cstdint>

namespace warpath {

/// Thrown if removing vertices makes the rest of a graph denser and denser.
struct DenseCore {
  std::int64_t vertices;  // remaining vertices
  std::int64_t arcs;      // between them
};

}  // namespace warpath
