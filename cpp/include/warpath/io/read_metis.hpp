// read_metis.hpp - reader of METIS .graph files, in which line v lists the neighbours of vertex v.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpath/generate/random.hpp"
#include "warpath/io/text.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

struct MetisLayout {
  std::int64_t n = 0;
  std::int64_t entries = 0;  // neighbours in all lines: twice the number of edges
  std::int64_t skipped = 0;  // numbers before the first neighbour: vertex size and weights
  bool weighted = false;     // a weight follows every neighbour
};

struct MetisRows {
  std::vector<std::int64_t> indptr;
  Column indices;
  Column weights;
  bool symmetric = true;  // every edge is in the lines of both ends, with the same weight
};

/// Reads the file in one pass, O(bytes). Symmetry is tested by a sum of hashes: an edge adds a
/// value in one of its lines and subtracts it in the other. The sum is 0 for a symmetric file, and
/// for any other with probability 2^-64.
inline MetisRows read_metis(Text& text, const MetisLayout& layout, Control& control) {
  const auto fail_unless = [&](bool fine, const char* message) {
    if (!fine) text.fail(message);
  };
  const auto skip_blanks = [&] {
    while (text.at < text.end && (*text.at == ' ' || *text.at == '\t' || *text.at == '\r'))
      ++text.at;
  };
  const auto at_end = [&] { return text.at == text.end || *text.at == '\n'; };
  const auto integer = [&] {
    std::int64_t value = 0;
    const Number kind = scan_integer(text.at, text.end, value);
    const bool whole = at_end() || *text.at == ' ' || *text.at == '\t' || *text.at == '\r';
    fail_unless(kind != Number::kNone && whole, "expected integers");
    fail_unless(kind != Number::kTooLarge, "a number does not fit in 64 bits");
    return value;
  };
  // A line takes at least one byte, a neighbour two: sizes in the header are checked against the
  // file's size before memory is allocated. A wrong number of edges is reported at the end, where
  // the right one is known.
  if (layout.n - 1 > text.left())
    throw ParseError(0, "the header promises " + std::to_string(layout.n) +
                            " vertices, which the rest of the file is too short for: it may be "
                            "truncated");
  const auto most = static_cast<std::size_t>(std::min(layout.entries, (text.left() + 1) / 2));
  MetisRows rows;
  rows.indptr.reserve(static_cast<std::size_t>(layout.n) + 1);
  rows.indptr.push_back(0);
  rows.indices.reserve(most);
  if (layout.weighted) rows.weights.reserve(most);
  control.expect(text.position() + text.left());
  Poller poller(control, true);
  std::uint64_t imbalance = 0;
  std::int64_t entries = 0;
  std::int64_t reported = 0;
  for (; text.at < text.end; text.next_line()) {
    poller.step();
    skip_blanks();
    if (text.at < text.end && *text.at == '%') continue;
    const auto u = static_cast<std::int64_t>(rows.indptr.size()) - 1;
    if (u == layout.n) {
      fail_unless(at_end(), "the header promises fewer vertices than there are lines");
      continue;
    }
    for (std::int64_t k = 0; k < layout.skipped; ++k) {
      fail_unless(!at_end(),
                  "the header's format code promises numbers before the first neighbour");
      integer();
      skip_blanks();
    }
    for (; !at_end(); skip_blanks()) {
      poller.step();
      const std::int64_t v = integer() - 1;
      if (v < 0 || v >= layout.n)
        text.fail("vertex " + std::to_string(v + 1) + " is out of range: the vertices are 1 to " +
                  std::to_string(layout.n));
      fail_unless(v != u,
                  "a METIS file has no edges from a vertex to itself: leave them out, as no path "
                  "needs them");
      std::int64_t weight = 1;
      if (layout.weighted) {
        skip_blanks();
        fail_unless(!at_end(), "the header's format code promises a weight after every neighbour");
        weight = integer();
        rows.weights.add(weight);
      }
      fail_unless(entries < layout.entries, "the header promises fewer edges than there are");
      rows.indices.add(v);
      ++entries;
      const std::uint64_t pair =
          mix(static_cast<std::uint64_t>(std::min(u, v)) + 0x9e3779b97f4a7c15ULL) +
          static_cast<std::uint64_t>(std::max(u, v));
      const std::uint64_t hash = mix(mix(pair) + static_cast<std::uint64_t>(weight));
      imbalance += u < v ? hash : ~hash + 1;
    }
    rows.indptr.push_back(entries);
    control.advance(text.position() - reported);
    reported = text.position();
  }
  const auto lines = static_cast<std::int64_t>(rows.indptr.size()) - 1;
  if (lines < layout.n)
    throw ParseError(0, "the header promises " + std::to_string(layout.n) +
                            " vertices, the file has lines for " + std::to_string(lines) +
                            ": the file may be truncated");
  if (entries == layout.entries / 2 && entries > 0 && imbalance == 0)
    throw ParseError(0, "the header promises " + std::to_string(entries) +
                            " edges, but the file has " + std::to_string(entries / 2) +
                            ", each in the lines of both its ends: " +
                            "the header of a METIS file counts an edge once");
  if (entries < layout.entries)
    throw ParseError(0, "the header promises " + std::to_string(layout.entries / 2) + " edges (" +
                            std::to_string(layout.entries) + " neighbours), the file has " +
                            std::to_string(entries) + " neighbours: the file may be truncated");
  rows.symmetric = imbalance == 0;
  return rows;
}

}  // namespace warpath
