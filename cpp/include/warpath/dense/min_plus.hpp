// min_plus.hpp - c = min(c, a (+) b) on dense blocks, with register tiles for each instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace warpath {

/// The kernels' value for "no path": inf, or half of an integer's range, so that the sum of two of
/// them does not overflow.
template <class T>
constexpr T no_path =
    std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                : static_cast<T>(std::numeric_limits<T>::max() / 2);

/// The largest value that is a length. Integers: every true length is below max / 4 in size, so
/// larger values are no_path plus a length.
template <class T>
constexpr T longest_path = static_cast<T>(std::numeric_limits<T>::max() / 4);

/// The type of sums. Integers are added as unsigned, which wraps and is detected later; signed
/// overflow would be undefined.
template <class T>
struct Sum {
  using Type = T;
};
template <>
struct Sum<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct Sum<std::int64_t> {
  using Type = std::uint64_t;
};

/// The largest depth of one product, and the row pitch of a left factor.
constexpr int kDepth = 128;

/// Sets c[i][j] = min(c[i][j], a[i][k] + b[k][j]) over all k, with kRows x (kVectors vectors of
/// kBytes) of c in registers.
///
/// `a` has rows of kDepth, `b` rows of kPitch; `next` is the start of the following tile, which is
/// prefetched. Each step compiles to one add and one minimum (for floats too: `s < c ? s : c` is
/// exactly the minimum instruction). An integer sum that includes no_path is reset to no_path, so
/// that negative weights never let it drift towards the lengths.
template <class T, int kBytes, int kRows, int kVectors, int kPitch>
[[gnu::always_inline]] inline void min_plus_tile(const T* a, const T* b, T* c, std::size_t stride,
                                                 int depth, const T* next) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Memory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  typedef typename Sum<T>::Type Word;
  typedef Word Words __attribute__((vector_size(kBytes)));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  Vector best[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      const std::size_t at = static_cast<std::size_t>(i) * stride + j * kLanes;
      best[i][j] = *reinterpret_cast<const Memory*>(c + at);
      __builtin_prefetch(next + at);
    }
  for (int k = 0; k < depth; ++k, b += kPitch) {
    Words row[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j)
      row[j] = reinterpret_cast<Words>(Vector(*reinterpret_cast<const Memory*>(b + j * kLanes)));
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const auto first = static_cast<Word>(a[i * kDepth + k]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        const Vector sum = reinterpret_cast<Vector>(row[j] + first);
        best[i][j] = sum < best[i][j] ? sum : best[i][j];
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      Vector out = best[i][j];
      if constexpr (std::is_integral_v<T>) {
        const Vector none = Vector{} + no_path<T>;
        out = out > longest_path<T> ? none : out;
      }
      *reinterpret_cast<Memory*>(c + static_cast<std::size_t>(i) * stride + j * kLanes) = out;
    }
}

/// One tile of which only `vectors` of the kVectors are valid.
template <class T, int kBytes, int kRows, int kVectors, int kPitch>
[[gnu::always_inline]] inline void narrow_tile(int vectors, const T* a, const T* b, T* c,
                                               std::size_t stride, int depth, const T* next) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors)
      return narrow_tile<T, kBytes, kRows, kVectors - 1, kPitch>(vectors, a, b, c, stride, depth,
                                                                 next);
  }
  min_plus_tile<T, kBytes, kRows, kVectors, kPitch>(a, b, c, stride, depth, next);
}

/// Computes a block of c (rows x columns); `b` is packed in strips as wide as a tile. Parts of a
/// tile outside c go to scratch memory; `a` must have kRows - 1 readable rows more than c.
template <class T, int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void min_plus_block(const T* a, const T* b, T* c, std::size_t stride,
                                                  int rows, int columns, int depth) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  constexpr int kColumns = kVectors * kLanes;
  for (int j = 0; j < columns; j += kColumns, b += kColumns * kDepth) {
    const int wide = std::min(kColumns, columns - j);
    const int vectors = (wide + kLanes - 1) / kLanes;
    for (int i = 0; i < rows; i += kRows) {
      const T* left = a + i * kDepth;
      T* at = c + static_cast<std::size_t>(i) * stride + j;
      const int high = std::min(kRows, rows - i);
      if (high == kRows && wide == vectors * kLanes) {
        const T* next = i + kRows < rows ? at + kRows * stride : c + j + wide;
        narrow_tile<T, kBytes, kRows, kVectors, kColumns>(vectors, left, b, at, stride, depth,
                                                          next);
        continue;
      }
      T edge[kRows * kColumns];
      std::fill(edge, edge + kRows * kColumns, no_path<T>);
      for (int y = 0; y < high; ++y)
        std::copy_n(at + static_cast<std::size_t>(y) * stride, wide, edge + y * kColumns);
      narrow_tile<T, kBytes, kRows, kVectors, kColumns>(vectors, left, b, edge, kColumns, depth,
                                                        edge);
      for (int y = 0; y < high; ++y)
        std::copy_n(edge + y * kColumns, wide, at + static_cast<std::size_t>(y) * stride);
    }
  }
}

/// Textbook Floyd-Warshall on a small block with rows of kDepth; the columns from `size` to the end
/// of a vector hold no_path.
template <class T, int kBytes>
[[gnu::always_inline]] inline void close_square(T* block, int size) {
  typedef T Vector __attribute__((vector_size(kBytes), may_alias));
  typedef typename Sum<T>::Type Word;
  typedef Word Words __attribute__((vector_size(kBytes)));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  constexpr int kAtOnce = 4;
  for (int k = 0; k < size; ++k)
    for (int j = 0; j < size; j += kAtOnce * kLanes) {
      const T* from = block + k * kDepth + j;
      Vector through[kAtOnce];
#pragma GCC unroll 4
      for (int v = 0; v < kAtOnce; ++v)
        through[v] = *reinterpret_cast<const Vector*>(from + v * kLanes);
      for (int i = 0; i < size; ++i) {
        const T first = block[i * kDepth + k];
        if (first >= no_path<T>) continue;
        T* row = block + i * kDepth + j;
#pragma GCC unroll 4
        for (int v = 0; v < kAtOnce; ++v) {
          Vector& entry = *reinterpret_cast<Vector*>(row + v * kLanes);
          const auto sum = reinterpret_cast<Vector>(reinterpret_cast<Words>(through[v]) +
                                                    static_cast<Word>(first));
          Vector best = sum < entry ? sum : entry;
          if constexpr (std::is_integral_v<T>) {
            const Vector none = Vector{} + no_path<T>;
            best = best > longest_path<T> ? none : best;
          }
          entry = best;
        }
      }
    }
}

/// Replaces one value in a row by another. Returns whether all other values lie in [low, high].
template <class T, int kBytes>
[[gnu::always_inline]] inline bool replace_and_check(T* row, std::int64_t size, T from, T to, T low,
                                                     T high) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Memory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  auto wrong = Vector{} != Vector{};
  std::int64_t j = 0;
  for (; j + kLanes <= size; j += kLanes) {
    Memory* at = reinterpret_cast<Memory*>(row + j);
    const Vector entry = *at;
    const auto found = entry == from;
    wrong |= ~found & ((entry < low) | (entry > high));
    *at = found ? Vector{} + to : entry;
  }
  bool fits = true;
  for (int lane = 0; lane < kLanes; ++lane) fits &= wrong[lane] == 0;
  for (; j < size; ++j) {
    fits &= row[j] == from || (row[j] >= low && row[j] <= high);
    row[j] = row[j] == from ? to : row[j];
  }
  return fits;
}

/// The kernels of one instruction set, and the shape of their tiles.
template <class T>
struct DenseKernels {
  int rows;     // per tile
  int columns;  // per tile; divides kDepth
  void (*product)(const T* a, const T* b, T* c, std::size_t stride, int rows, int columns,
                  int depth);
  void (*close)(T* block, int size);
  bool (*replace)(T* row, std::int64_t size, T from, T to, T low, T high);
};

template <class T>
void product_default(const T* a, const T* b, T* c, std::size_t stride, int rows, int columns,
                     int depth) {
  min_plus_block<T, 16, 4, 2>(a, b, c, stride, rows, columns, depth);
}
template <class T>
void close_default(T* block, int size) {
  close_square<T, 16>(block, size);
}
template <class T>
bool replace_default(T* row, std::int64_t size, T from, T to, T low, T high) {
  return replace_and_check<T, 16>(row, size, from, to, low, high);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void product_avx2(const T* a, const T* b, T* c, std::size_t stride,
                                          int rows, int columns, int depth) {
  min_plus_block<T, 32, 4, 2>(a, b, c, stride, rows, columns, depth);
}
template <class T>
[[gnu::target("avx2")]] void close_avx2(T* block, int size) {
  close_square<T, 32>(block, size);
}
template <class T>
[[gnu::target("avx2")]] bool replace_avx2(T* row, std::int64_t size, T from, T to, T low, T high) {
  return replace_and_check<T, 32>(row, size, from, to, low, high);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] void product_avx512(const T* a, const T* b, T* c,
                                                                       std::size_t stride, int rows,
                                                                       int columns, int depth) {
  min_plus_block<T, 64, 4, 4>(a, b, c, stride, rows, columns, depth);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] void close_avx512(T* block, int size) {
  close_square<T, 64>(block, size);
}
template <class T>
[[gnu::target("avx512f,prefer-vector-width=512")]] bool replace_avx512(T* row, std::int64_t size,
                                                                       T from, T to, T low,
                                                                       T high) {
  return replace_and_check<T, 64>(row, size, from, to, low, high);
}
#endif

/// Bytes of the widest vectors that this processor supports, at most `limit`.
inline int vector_bytes(int limit) {
#if defined(__x86_64__)
  if (limit >= 64 && __builtin_cpu_supports("avx512f")) return 64;
  if (limit >= 32 && __builtin_cpu_supports("avx2")) return 32;
#endif
  return std::min(limit, 16);
}

/// The kernels for vectors of that many bytes.
template <class T>
DenseKernels<T> dense_kernels(int bytes) {
  constexpr int kSize = static_cast<int>(sizeof(T));
#if defined(__x86_64__)
  if (bytes == 64) return {4, 256 / kSize, product_avx512<T>, close_avx512<T>, replace_avx512<T>};
  if (bytes == 32) return {4, 64 / kSize, product_avx2<T>, close_avx2<T>, replace_avx2<T>};
#else
  (void)bytes;
#endif
  return {4, 32 / kSize, product_default<T>, close_default<T>, replace_default<T>};
}

/// A cache-line-aligned array for the kernels' factors, initially full of no_path.
template <class T>
class Panel {
 public:
  explicit Panel(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{64}))) {
    std::fill_n(data_.get(), size, no_path<T>);
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::unique_ptr<T, Free> data_;
};

/// Packs rows x columns of a row-major matrix into strips of `strip` columns, each kDepth rows
/// long: the format of a product's right factor. Columns beyond the last one hold no_path.
template <class T>
void pack_strips(const T* from, std::size_t stride, int rows, int columns, int strip, T* out) {
  for (int j = 0; j < columns; j += strip, out += strip * kDepth) {
    const int wide = std::min(strip, columns - j);
    for (int k = 0; k < rows; ++k) {
      T* row = out + k * strip;
      std::copy_n(from + static_cast<std::size_t>(k) * stride + j, wide, row);
      std::fill(row + wide, row + strip, no_path<T>);
    }
  }
}

}  // namespace warpath
