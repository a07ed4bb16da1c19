// floyd_warshall.cuh - blocked Floyd-Warshall: one launch for any number of pivots.
//
// Work     n^3 min-plus. A block takes tiles in an order in which all tiles that a tile waits for
//          were taken before it. During the products of pivot k, the next diagonal tile is lowered
//          and closed, then the panels of pivot k + 1.
// Traffic  per pivot a tile is read and written once, and two tiles of panels read, mostly from L2.
// Launch   any number of blocks.
// Shared   two slices of two tiles, a row and a column twice: 36 KiB for 32 bits.
// Races    a tile has one writer at a time. A version, released after a tile's writes and acquired
//          before its reads, shows that it may be read; counts of readers, that it may be written.
// Source   Floyd 1962; Venkataraman, Sahni, Mukhopadhyaya 2003 for the blocks.
#pragma once

#include "tile.cuh"

namespace warpath {

template <class L>
struct SolveArgs {
  int tiles;  // in a row of the window
  L* labels;  // the window begins at `offset`
  i64 offset, pitch;
  int first, last;        // pivots: first <= k < last
  int ahead;              // products between a diagonal tile and its panels
  int* versions;          // tiles x tiles: pivots that a tile has been lowered by
  int* row_readers;       // tiles x tiles, [k][i]: products that have read tile (i, k)
  int* column_readers;    // [k][j]: the same of tile (k, j)
  int* diagonal_readers;  // [k]: panels that have read tile (k, k)
  int* ticket;            // the next task; 0 before the launch
};

/// Lower tile (i, j) by pivot `update`, then by pivot `finish`; -1 for neither.
struct Task {
  int i, j, update, finish;
  __device__ int pivot() const { return update >= 0 ? update : finish; }
  __device__ bool halved() const { return update >= 0 && finish >= 0; }
};

/// The order of tasks: the first diagonal tile and its panels; for each pivot the products, among
/// them the next diagonal tile and the next panels; the products of the last pivot.
template <class L>
struct Tasks {
  int tiles, first, last, ahead, panels, others;

  explicit __device__ Tasks(const SolveArgs<L>& a)
      : tiles(a.tiles),
        first(a.first),
        last(a.last),
        panels(2 * (tiles - 1)),
        others(tiles > 2 ? (tiles - 2) * (tiles - 2) : 0) {
    ahead = min(a.ahead, others);
  }

  /// A tile of the panels of pivot k. The tiles that the next diagonal tile waits for come first,
  /// those that products of the previous pivot still read come last.
  __device__ Task panel(int at, int k) const {
    const int other = (k + 1 + at / 2) % tiles;
    const int update = k > first && at / 2 < tiles - 2 ? k - 1 : -1;
    return at % 2 ? Task{other, k, update, k} : Task{k, other, update, k};
  }

  /// The task at a place in the order; its tile is -1 after the last one.
  __device__ Task task(int at) const {
    if (at < 1 + panels) return at == 0 ? Task{first, first, -1, first} : panel(at - 1, first);
    at -= 1 + panels;
    const int step = 1 + panels + others;
    const int k = min(first + at / step, last - 1);
    const bool is_last = k == last - 1;
    at -= (k - first) * step;
    if (is_last) {
      if (at >= (tiles - 1) * (tiles - 1)) return {-1, -1, -1, -1};
    } else {
      if (at == 0) return {k + 1, k + 1, k, k + 1};
      at -= 1;
      if (at >= ahead && at < ahead + panels) return panel(at - ahead, k + 1);
      if (at >= ahead) at -= panels;
    }
    const int left_out = is_last ? 1 : 2, side = tiles - left_out;
    const int i = at / side, j = at % side;
    return {i + (i >= k ? left_out : 0), j + (j >= k ? left_out : 0), k, -1};
  }
};

/// Waits until tile (i, j) may be lowered by pivot k; one thread waits for each condition.
template <class L>
__device__ __forceinline__ void wait_for(const SolveArgs<L>& a, int i, int j, int k) {
  const int t = a.tiles, before = k - 1;
  const int* place = nullptr;
  int required = k + 1;
  if (threadIdx.x == 0) {
    place = a.versions + i * t + j;
    required = k;
  } else if (threadIdx.x == 1 && j != k) {
    place = a.versions + i * t + k;
  } else if (threadIdx.x == 2 && i != k) {
    place = a.versions + k * t + j;
  } else if (threadIdx.x == 3 && before >= 0 && (i == before || j == before)) {
    // The previous pivot's panels, or products along the tile's row or column, have read it.
    place = i != before   ? a.row_readers + before * t + i
            : j != before ? a.column_readers + before * t + j
                          : a.diagonal_readers + before;
    required = i == j ? 2 * (t - 1) : t - 1;
  }
  if (place != nullptr) {
    int value;
    do {
      __nv_atomic_load(place, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    } while (value < required);
  }
  __syncthreads();
}

/// Publishes that tile (i, j) has been lowered by pivot k and that its two operands have been read.
template <class L>
__device__ __forceinline__ void publish(const SolveArgs<L>& a, int i, int j, int k) {
  __syncthreads();
  if (threadIdx.x != blockDim.x - 1) return;  // the first warp continues with the next task
  __threadfence();  // for the counts; the version has a release of its own
  if (i != k && j != k) {
    atomicAdd(a.row_readers + k * a.tiles + i, 1);
    atomicAdd(a.column_readers + k * a.tiles + j, 1);
  } else if (i != j) {
    atomicAdd(a.diagonal_readers + k, 1);
  }
  int version = k + 1;
  __nv_atomic_store(a.versions + i * a.tiles + j, &version, __NV_ATOMIC_RELEASE,
                    __NV_THREAD_SCOPE_DEVICE);
}

/// Closes a tile: Floyd-Warshall within it, with its own vertices as pivots.
template <class L, int kBlock>
__device__ __forceinline__ void close_tile(typename Tile<L, kBlock>::Labels& c) {
  using T = Tile<L, kBlock>;
  WARPATH_SHARED(Sixteen, rows, 2 * T::kSide * sizeof(L) / 16);
  WARPATH_SHARED(Sixteen, columns, 2 * T::kSide * sizeof(Word<L>) / 16);
  constexpr int kLabels = Packed<L>::kLabels;
  const unsigned thread = opaque_thread_index();
  L* const my_columns = reinterpret_cast<L*>(rows) + T::columns(thread);
  Word<L>* const my_rows = reinterpret_cast<Word<L>*>(columns) + T::rows(thread);
#pragma unroll 1
  for (int four = 0; four < T::kSide; four += 4)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      L* const row = my_columns + q % 2 * T::kSide;
      Word<L>* const column = my_rows + q % 2 * T::kSide;
      if (T::band(thread) == four / 32 && T::down(thread) == four / 4 % 4) {
        const bool second = four / 16 % 2 != 0;
#pragma unroll
        for (int g = 0; g < 8 / T::kGroup; ++g)
          if (second)
            copy<T::kGroup * sizeof(L)>(row + g * 32, &c[4 + q][g * T::kInGroup]);
          else
            copy<T::kGroup * sizeof(L)>(row + g * 32, &c[q][g * T::kInGroup]);
      }
      const int within = T::kGroup == 4 ? four % 32 : four % 64;
      if (T::strip(thread) == four / 64 && T::across(thread) == within / T::kGroup) {
        const bool second = T::kGroup == 4 ? four / 32 % 2 != 0 : four / 4 % 2 != 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          const Word<L> word = second ? c[i][(4 + q) / kLabels] : c[i][q / kLabels];
          if constexpr (kLabels == 2)
            column[T::below(i)] = twice(static_cast<short>(word >> q % 2 * 16));
          else
            column[T::below(i)] = word;
        }
      }
      __syncthreads();
      alignas(16) Word<L> x[T::kAtOnce], y[T::kWords];
#pragma unroll
      for (int g = 0; g < 8 / T::kGroup; ++g)
        copy<T::kGroup * sizeof(L)>(&y[g * T::kInGroup], row + g * 32);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (i % T::kAtOnce == 0) copy<T::kAtOnce * sizeof(Word<L>)>(x, column + T::below(i));
#pragma unroll
        for (int j = 0; j < T::kWords; ++j) c[i][j] = lowered(c[i][j], x[i % T::kAtOnce], y[j]);
      }
    }
}

template <int kBlock, class L>
__device__ __forceinline__ void solve(const SolveArgs<L>& a) {
  using T = Tile<L, kBlock>;
  WARPATH_SHARED(Task, shared_task, 1);
  WARPATH_SHARED(Sixteen, slices_a, T::kSharedA);
  WARPATH_SHARED(Sixteen, slices_b, T::kSharedB);
  const Staged<L, kBlock> staged(slices_a, slices_b);
  L* const window = a.labels + a.offset;
  const auto tile = [&](int i, int j) {
    return window + static_cast<i64>(i) * T::kSide * a.pitch + static_cast<i64>(j) * T::kSide;
  };
  alignas(16) typename T::Labels c;
  if (threadIdx.x == 0) shared_task[0] = {-1, -1, -1, -1};
  for (;;) {
    if (threadIdx.x == 0) {
      Task& task = shared_task[0];
      if (task.halved())
        task.update = -1;
      else
        task = Tasks<L>(a).task(atomicAdd(a.ticket, 1));
    }
    __syncthreads();
    const Task task = shared_task[0];
    if (task.i < 0) return;
    const int k = task.pivot();
    wait_for(a, task.i, task.j, k);
    T::load(c, tile(task.i, task.j), a.pitch);
    if (task.i == k && task.j == k)
      close_tile<L, kBlock>(c);
    else
      lower_by_product<L, kBlock>(c, tile(task.i, k), a.pitch, tile(k, task.j), a.pitch, T::kSide,
                                  staged);
    __syncthreads();                         // all threads have read the panel's own tile
    const Task same = *opaque(shared_task);  // read again to save registers
    T::store(c, tile(same.i, same.j), a.pitch);
    publish(a, same.i, same.j, same.pivot());
  }
}

template <class L>
struct ProductArgs {
  L* c;  // each matrix begins at its offset and has its pitch
  i64 offset_c, pitch_c;
  const L* a;
  i64 offset_a, pitch_a;
  const L* b;
  i64 offset_b, pitch_b;
  unsigned across;  // tiles in a row of c
  int depth;        // the inner dimension
};

/// c = min(c, a (+) b), one block per tile of c.
template <int kBlock, class L>
__device__ __forceinline__ void product(const ProductArgs<L>& args) {
  using T = Tile<L, kBlock>;
  WARPATH_SHARED(Sixteen, slices_a, T::kSharedA);
  WARPATH_SHARED(Sixteen, slices_b, T::kSharedB);
  const Staged<L, kBlock> staged(slices_a, slices_b);
  L* const result = args.c + args.offset_c;
  const L* const left = args.a + args.offset_a;
  const L* const right = args.b + args.offset_b;
  const auto tile = [&] {
    const unsigned block = opaque(blockIdx.x);
    return result + block / args.across * T::kSide * args.pitch_c + block % args.across * T::kSide;
  };
  const i64 row = blockIdx.x / args.across * T::kSide, column = blockIdx.x % args.across * T::kSide;
  alignas(16) typename T::Labels c;
  T::load(c, tile(), args.pitch_c);
  lower_by_product<L, kBlock>(c, left + row * args.pitch_a, args.pitch_a, right + column,
                              args.pitch_b, args.depth, staged);
  T::store(c, tile(), args.pitch_c);
}

}  // namespace warpath
