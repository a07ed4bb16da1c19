// read_rows.hpp - reader of tabular text: edge lists, DIMACS, Matrix Market, TNTP, coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/graph/names.hpp"
#include "warpath/io/text.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The format of a file's rows.
struct RowLayout {
  /// One letter per column: v vertex number, l integer label of a vertex (without a 0 in front), t
  /// text that names a vertex, n number (+inf allowed), i integer, r number read as double, c
  /// finite number read as double, . anything (not read).
  std::string roles;
  char delimiter = ' ';  // ' ' is any run of blanks; else a character; blanks around it are ignored
  std::string comments;  // lines that start with one of these are skipped
  char prefix = 0;       // the word that starts every row (DIMACS a and v), 0 for none
  char terminator = 0;   // may end a row (TNTP ;), 0 for none
  std::int64_t low = 0;  // the smallest vertex number, which becomes 0
  std::int64_t high = -1;     // the largest vertex number, -1 for no limit
  std::int64_t rows = -1;     // the number of rows that the header promises, -1 if none
  std::string expected;       // for error messages: a <from> <to> <weight>
  std::string noun = "rows";  // for error messages: arcs, entries, links
};

/// The requested columns in file order, and the names that the t columns refer to.
struct Rows {
  std::vector<Column> columns;
  std::vector<std::string_view> names;  // in order of appearance; views into the text
  std::int64_t count = 0;
};

/// Reads the rows in one pass over the text. Work O(bytes). Memory O(rows), bounded by the text's
/// length, whatever a header promises. Throws ParseError at the first line that is invalid.
class RowReader {
 public:
  RowReader(Text& text, const RowLayout& layout, Control& control)
      : text_(text), layout_(layout), control_(control) {
    ends_.fill(false);
    for (const char c : {'\n', '\r', ' ', '\t'}) ends_[byte(c)] = true;
    if (layout.delimiter != ' ') ends_[byte(layout.delimiter)] = true;
    if (layout.terminator != 0) ends_[byte(layout.terminator)] = true;
    blanks_.fill(false);
    for (const char c : {'\r', ' ', '\t'}) blanks_[byte(c)] = c != layout.delimiter || c == ' ';
    skips_.fill(false);
    for (const char c : layout.comments) skips_[byte(c)] = true;
    open_columns();
  }

  Rows read() {
    control_.expect(text_.position() + text_.left());
    control_.advance(text_.position());
    Poller poller(control_, true);
    std::int64_t reported = text_.position();
    for (; text_.at < text_.end; text_.next_line()) {
      poller.step();
      if ((rows_.count & 0xffff) == 0) {
        control_.advance(text_.position() - reported);
        reported = text_.position();
      }
      skip_blanks();
      if (text_.at == text_.end || *text_.at == '\n') continue;
      if (skips_[byte(*text_.at)]) continue;
      if (rows_.count == layout_.rows) too_many();
      read_row();
      ++rows_.count;
    }
    control_.advance(text_.position() - reported);
    if (rows_.count < layout_.rows) too_few();
    rows_.names = table_.take();
    return std::move(rows_);
  }

 private:
  void open_columns() {
    // A row has at least one character and one separator per column.
    const std::int64_t fit = text_.left() / static_cast<std::int64_t>(2 * layout_.roles.size()) + 1;
    const std::int64_t expect = layout_.rows >= 0 ? std::min(layout_.rows, fit) : fit / 2;
    for (const char role : layout_.roles) {
      if (role == '.') continue;
      rows_.columns.emplace_back(role == 'r' || role == 'c' ? Column::Kind::kReal
                                                            : Column::Kind::kInt32);
      rows_.columns.back().reserve(static_cast<std::size_t>(expect));
    }
  }

  void skip_blanks() {
    while (text_.at < text_.end && blanks_[byte(*text_.at)]) ++text_.at;
  }

  bool at_row_end() const {
    return text_.at == text_.end || *text_.at == '\n' ||
           (layout_.terminator != 0 && *text_.at == layout_.terminator);
  }

  void read_row() {
    if (layout_.prefix != 0) {
      if (*text_.at != layout_.prefix || text_.at + 1 == text_.end || !ends_[byte(text_.at[1])])
        reject();
      ++text_.at;
      skip_blanks();
    }
    std::size_t slot = 0;
    for (std::size_t c = 0; c < layout_.roles.size(); ++c) {
      if (c > 0 && layout_.delimiter != ' ') {
        if (text_.at == text_.end || *text_.at != layout_.delimiter) reject();
        ++text_.at;
        skip_blanks();
      }
      if (at_row_end()) reject();
      const char role = layout_.roles[c];
      if (role == 'v') {
        read_vertex(rows_.columns[slot++]);
      } else if (role == 'l') {
        read_label(rows_.columns[slot++]);
      } else if (role == '.') {
        text_.at = field_end(text_.at);
      } else if (role == 't') {
        read_name(rows_.columns[slot++]);
      } else {
        read_number(rows_.columns[slot++], role);
      }
      skip_blanks();
    }
    if (layout_.terminator != 0 && text_.at < text_.end && *text_.at == layout_.terminator) {
      ++text_.at;
      skip_blanks();
    }
    if (text_.at < text_.end && *text_.at != '\n') reject();
  }

  std::int64_t scan_vertex() {
    std::int64_t vertex = 0;
    const Number kind = scan_integer(text_.at, text_.end, vertex);
    if (kind == Number::kNone || (text_.at < text_.end && !ends_[byte(*text_.at)])) reject();
    if (kind == Number::kTooLarge) text_.fail("a vertex number does not fit in 64 bits");
    return vertex;
  }

  void read_label(Column& column) {
    const char* digits = text_.at + (*text_.at == '-' || *text_.at == '+' ? 1 : 0);
    const std::int64_t label = scan_vertex();
    if (*digits == '0' && text_.at - digits > 1)
      text_.fail(
          "a vertex number starts with 0, as a name may: ids=\"text\" reads names, ids=\"numbers\" "
          "numbers");
    column.add(label);
  }

  void read_vertex(Column& column) {
    const std::int64_t vertex = scan_vertex();
    if (vertex < layout_.low || (layout_.high >= 0 && vertex > layout_.high)) out_of_range(vertex);
    column.add(vertex - layout_.low);
  }

  void read_name(Column& column) {
    const char* stop = field_end(text_.at);
    const char* last = stop;
    while (last > text_.at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) --last;
    const std::string_view name(text_.at, static_cast<std::size_t>(last - text_.at));
    if (name.empty()) reject();
    column.add(table_.number(name));
    text_.at = stop;
  }

  void read_number(Column& column, char role) {
    const char* start = text_.at;
    std::int64_t integer = 0;
    const Number kind = scan_integer(text_.at, text_.end, integer);
    const bool whole = text_.at == text_.end || ends_[byte(*text_.at)];
    if (kind == Number::kInteger && whole) {
      if (role == 'r' || role == 'c') {
        column.add(static_cast<double>(integer));
      } else {
        column.add(integer);
      }
      return;
    }
    if (kind == Number::kTooLarge && whole && role != 'r' && role != 'c')
      text_.fail(
          "a number does not fit in 64 bits; write it with a decimal point to have it rounded");
    const char* stop = token_end(start);
    double value = 0;
    const Number real = scan_real({start, static_cast<std::size_t>(stop - start)}, value);
    if (real == Number::kNone) reject();
    if (real == Number::kTooLarge) text_.fail("a number is larger than any double");
    if (role == 'i') text_.fail("the file says that its numbers are integers");
    if (std::isnan(value)) text_.fail("NaN is not a number to compute with");
    if (std::isinf(value) && role == 'c') text_.fail("a coordinate must be finite");
    if (std::isinf(value) && value < 0) text_.fail("a weight of -inf leaves no shortest path");
    column.add(value);
    text_.at = stop;
  }

  const char* token_end(const char* p) const {
    while (p < text_.end && !ends_[byte(*p)]) ++p;
    return p;
  }

  /// The end of a free-text field, which may contain blanks in a delimited file.
  const char* field_end(const char* p) const {
    if (layout_.delimiter == ' ') return token_end(p);
    while (p < text_.end && *p != layout_.delimiter && *p != '\n') ++p;
    return p;
  }

  static unsigned char byte(char c) { return static_cast<unsigned char>(c); }

  [[noreturn]] void reject() const { text_.fail("expected \"" + layout_.expected + "\""); }

  [[noreturn]] void out_of_range(std::int64_t vertex) const {
    const std::string low = std::to_string(layout_.low);
    if (layout_.high < 0)
      text_.fail("vertex " + std::to_string(vertex) + " is out of range: the smallest is " + low);
    if (layout_.high < layout_.low)
      text_.fail("vertex " + std::to_string(vertex) +
                 " is out of range: the file says that it has no vertices");
    text_.fail("vertex " + std::to_string(vertex) + " is out of range: the vertices are " + low +
               " to " + std::to_string(layout_.high));
  }

  [[noreturn]] void too_many() const {
    text_.fail("the header promises " + std::to_string(layout_.rows) + " " + layout_.noun +
               ", but there are more");
  }

  [[noreturn]] void too_few() const {
    throw ParseError(0, "the header promises " + std::to_string(layout_.rows) + " " + layout_.noun +
                            ", the file has " + std::to_string(rows_.count) +
                            ": the file may be truncated");
  }

  Text& text_;
  const RowLayout& layout_;
  Control& control_;
  std::array<bool, 256> ends_;
  std::array<bool, 256> blanks_;
  std::array<bool, 256> skips_;
  NameTable table_;
  Rows rows_;
};

}  // namespace warpath
