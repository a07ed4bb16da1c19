// request.hpp - a question of betweenness, and the limits of its counts.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

namespace warpath {

/// The parameters of one call. Paths from a source to itself do not count.
struct BetweennessRequest {
  std::span<const std::int64_t> sources;
  std::span<const char> is_target;  // of each vertex
  bool endpoints = false;           // whether the ends of a path count as vertices on it
  std::span<double> vertices;       // n for each cutoff: sums are added to these
  std::span<double> edges;          // m for each cutoff
  // Trips in place of one path to each target: those from a source are ends[first[i] .. first[i +
  // 1]).
  std::span<const std::int64_t> first = {};
  std::span<const std::int64_t> ends = {};
  std::span<const double> trips = {};
  // Cutoffs in the sums of other numbers of edges along the shortest paths: radii in place of
  // limits of the weights.
  std::span<const double> lengths = {};
  std::span<const double> radii = {};
};

/// Numbers of paths are rounded above 2^53: then each addition has a relative error of 2^-53. A
/// larger number than this is refused, as products of counts must not become infinite.
constexpr double kMostPaths = 1e300;

[[noreturn, gnu::cold]] inline void refuse_counts() {
  throw std::overflow_error("there are more than 1e300 shortest paths between two vertices");
}

}  // namespace warpath
