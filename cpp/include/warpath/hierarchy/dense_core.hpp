// dense_core.hpp - what is thrown for a graph that has no useful hierarchy.
#pragma once

#include <cstdint>

namespace warpath {

/// Thrown if removing vertices makes the rest of a graph denser and denser.
struct DenseCore {
  std::int64_t vertices;  // that remain
  std::int64_t arcs;      // between them
};

}  // namespace warpath
