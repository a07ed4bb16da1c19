#include "warpath/dense/floyd_warshall.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "common.hpp"
#include "warpath/dense/adjacency.hpp"
#include "warpath/dense/dense_tree.hpp"

namespace warpath::bindings {

namespace {

/// A part of a row-major matrix: each row is contiguous, but there may be gaps between rows.
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

template <class T, class Array>
MatrixView<T> matrix(const Array& array) {
  const auto rows = static_cast<std::int64_t>(array.shape(0));
  const auto columns = static_cast<std::int64_t>(array.shape(1));
  if (rows > 1 && array.stride(0) < columns)
    throw std::invalid_argument("the rows must lie one after the other");
  if (columns > 1 && array.stride(1) != 1)
    throw std::invalid_argument("the entries of a row must lie side by side");
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0)
    throw std::invalid_argument("the entries must be aligned to their size");
  return {array.data(), rows, columns, rows > 1 ? array.stride(0) : columns};
}

constexpr int kWidest = 64;  // bytes of a vector: AVX-512, if the processor has it

template <class T>
void close(const Rows<T>& dist, bool labels, int threads, int widest, nb::object progress) {
  const MatrixView<T> view = matrix<T>(dist);
  if (view.rows != view.columns) throw std::invalid_argument("the matrix must be square");
  at_least_one(threads);
  Control control(python_tick(std::move(progress)));
  const nb::gil_scoped_release free;
  floyd_warshall<T>(view.data, view.rows, view.stride, labels, threads, vector_bytes(widest),
                    control);
}

/// The number of bytes from the first entry to the end of the last one.
template <class T>
std::pair<std::uintptr_t, std::uintptr_t> extent(const MatrixView<T>& matrix) {
  const auto begin = reinterpret_cast<std::uintptr_t>(matrix.data);
  if (matrix.rows == 0 || matrix.columns == 0) return {begin, begin};
  return {begin, reinterpret_cast<std::uintptr_t>(matrix.data + (matrix.rows - 1) * matrix.stride +
                                                  matrix.columns)};
}

/// Whether two matrices may share an entry: their extents overlap, and they are not separate blocks
/// of one larger matrix.
template <class T, class U>
bool overlap(const MatrixView<T>& one, const MatrixView<U>& other) {
  const auto [begin, end] = extent(one);
  const auto [first, last] = extent(other);
  if (begin >= last || first >= end) return false;
  if (one.stride != other.stride || one.stride == 0) return true;
  const auto wide = static_cast<std::uintptr_t>(one.stride) * sizeof(T);
  const std::uintptr_t from = (first % wide + wide - begin % wide) % wide;
  return from < static_cast<std::uintptr_t>(one.columns) * sizeof(T) ||
         from + static_cast<std::uintptr_t>(other.columns) * sizeof(T) > wide;
}

template <class T>
void multiply(const Rows<T>& c, const Rows<const T>& a, const Rows<const T>& b, int threads,
              int widest) {
  const MatrixView<T> into = matrix<T>(c);
  const MatrixView<const T> left = matrix<const T>(a);
  const MatrixView<const T> right = matrix<const T>(b);
  if (left.rows != into.rows || right.columns != into.columns || left.columns != right.rows)
    throw std::invalid_argument("the shapes must be those of a product");
  if (overlap(into, left) || overlap(into, right))
    throw std::invalid_argument("the product must not lie in a factor's memory: copy the factor");
  at_least_one(threads);
  Control control(python_tick(nb::none()));
  const nb::gil_scoped_release free;
  min_plus<T>(into, left, right, threads, vector_bytes(widest), control);
}

template <class T>
void register_type(nb::module_& module) {
  module.def(
      "floyd_warshall",
      [](Rows<T> dist, int threads, nb::object progress, int widest) {
        close<T>(dist, false, threads, widest, std::move(progress));
      },
      nb::arg("dist").noconvert(), nb::arg("threads") = 1, nb::arg("progress") = nb::none(),
      nb::arg("widest") = kWidest);
  module.def(
      "close_labels",
      [](Rows<T> block, int threads, int widest) {
        close<T>(block, true, threads, widest, nb::none());
      },
      nb::arg("block").noconvert(), nb::arg("threads") = 1, nb::arg("widest") = kWidest);
  module.def("min_plus", multiply<T>, nb::arg("c").noconvert(), nb::arg("a").noconvert(),
             nb::arg("b").noconvert(), nb::arg("threads") = 1, nb::arg("widest") = kWidest);
}

template <class V, class W, class T>
void register_adjacency(nb::module_& module) {
  module.def(
      "adjacency_rows",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t first,
         OutMatrix<T> out, int threads) {
        const auto rows = static_cast<std::int64_t>(out.shape(0));
        const auto n = static_cast<std::int64_t>(out.shape(1));
        if (out.shape(0) + 1 != indptr.size() || first < 0 || first > n - rows)
          throw std::invalid_argument("the rows must be those of indptr and below n");
        at_least_one(threads);
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        adjacency_rows<V, W, T>(csr<V, W>(indptr, indices, weights), first, out.data(), n, threads,
                                control);
      },
      nb::arg("indptr"), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("first"), nb::arg("out").noconvert(), nb::arg("threads") = 1);
}

}  // namespace

void register_floyd_warshall(nb::module_& module) {
  register_type<std::int32_t>(module);
  register_type<std::int64_t>(module);
  register_type<float>(module);
  register_type<double>(module);
  for_each_type([&]<class V, class W>() {
    if constexpr (std::is_integral_v<W>) {
      register_adjacency<V, W, std::int32_t>(module);
      register_adjacency<V, W, std::int64_t>(module);
    } else {
      register_adjacency<V, W, W>(module);
    }
  });
  module.def(
      "dense_tree",
      [](InMatrix<double> lengths, InMatrix<double> dist, OutMatrix<std::int32_t> pred, int threads,
         nb::object progress, int widest) {
        for (const std::size_t side : {lengths.shape(0), lengths.shape(1), dist.shape(0),
                                       dist.shape(1), pred.shape(0), pred.shape(1)})
          if (side != lengths.shape(0))
            throw std::invalid_argument("the matrices must be square, and of one size");
        at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        DenseTree(lengths.data(), dist.data(), pred.data(),
                  static_cast<std::int64_t>(lengths.shape(0)), vector_bytes(widest))
            .find(threads, control);
      },
      nb::arg("lengths").noconvert(), nb::arg("dist").noconvert(), nb::arg("pred").noconvert(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none(), nb::arg("widest") = kWidest);
  module.def(
      "widen",
      [](OutMatrix<std::int64_t> wide, int threads) {
        at_least_one(threads);
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        widen(wide.data(), static_cast<std::int64_t>(wide.size()), threads, control);
      },
      nb::arg("wide").noconvert(), nb::arg("threads") = 1);
}

}  // namespace warpath::bindings
