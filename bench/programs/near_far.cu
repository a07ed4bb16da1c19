// The near-far method of Davidson et al. 2014 in plain CUDA C++, as a command of `warpath bench
// suite`.
//
// One cooperative kernel makes all rounds. It shares no code with warpath, so that the two can be
// compared: a warp takes 32 vertices of the near queue and deals their edges to its lanes by a
// scan; vertices enter a queue once a round; vertices beyond the threshold wait in a far pile,
// which is split when the near queue is empty. docs/benchmarks/external-solvers.md has the
// protocol, and how this program is compiled.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

namespace {

constexpr int kBlock = 256;
constexpr int kNever = std::numeric_limits<int>::max();

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Memory of the device, freed with its owner.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) {
    check(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)));
  }
  explicit OnDevice(const std::vector<T>& from) : OnDevice(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// What the rounds share. A size has three slots: one is read, the next one grows, and the last one
/// is cleared, so that one barrier a round is enough.
struct Control {
  int near[3];
  int far[3];
  int least[3];  // the least label that a split kept in the far pile
  int lost;      // whether a sum or the far pile did not fit
};

struct Search {
  int n;
  const int* offsets;
  const int* heads;
  const int* weights;
  int* dist;
  int* round_of;  // the last round in which a vertex entered the near queue
  int* near[2];
  int* far[2];
  int far_room;
  int delta;
  Control* control;
};

/// Where a round appends: the queues of the next round, and the vertices that it admits.
struct Round {
  int number;
  int limit;
  int* near;
  int* near_size;
  int* far;
  int* far_size;
};

/// Appends the values of the lanes for which `wanted` holds, with one atomic addition for all of
/// them.
__device__ void append(int* queue, int* size, int room, int value, bool wanted, int* lost) {
  if (!wanted) return;
  const auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(size, static_cast<int>(group.size()));
  const int at = group.shfl(first, 0) + static_cast<int>(group.thread_rank());
  if (at < room)
    queue[at] = value;
  else
    *lost = 1;
}

__device__ void enqueue(const Search& s, const Round& r, int v, bool near, bool far) {
  near = near && atomicExch(s.round_of + v, r.number) != r.number;
  append(r.near, r.near_size, s.n, v, near, &s.control->lost);
  append(r.far, r.far_size, s.far_room, v, far, &s.control->lost);
}

__device__ void relax(const Search& s, const Round& r, int base, int edge) {
  const int head = s.heads[edge], sum = base + s.weights[edge];
  if (sum < base) s.control->lost = 1;
  const bool fell = sum >= base && sum < s.dist[head] && sum < atomicMin(s.dist + head, sum);
  enqueue(s, r, head, fell && sum < r.limit, fell && sum >= r.limit);
}

/// Relaxes the edges of one vertex a lane. All lanes share the edges: each finds the row of its
/// next edge by a binary search among the ends of the rows.
__device__ void relax_warp(const Search& s, const Round& r, const int* queue, int count, int item) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  int first = 0, degree = 0, label = 0;
  if (item < count) {
    const int u = queue[item];
    first = s.offsets[u];
    degree = s.offsets[u + 1] - first;
    label = *static_cast<volatile int*>(s.dist + u);
  }
  const int end = cg::inclusive_scan(warp, degree);
  const int total = warp.shfl(end, 31);
  for (int done = 0; done < total; done += 32) {
    const int at = done + lane;
    int row = 0;
    for (int step = 16; step > 0; step /= 2)
      if (warp.shfl(end, row + step - 1) <= at) row += step;
    const int start = warp.shfl(first, row) - (warp.shfl(end, row) - warp.shfl(degree, row));
    const int base = warp.shfl(label, row);
    if (at < total) relax(s, r, base, start + at);
  }
}

/// Moves the far pile's vertices below the limit to the near queue and keeps those beyond it;
/// others are settled.
__device__ void split(const Search& s, const Round& r, const int* pile, int count, int settled,
                      int* least) {
  const auto grid = cg::this_grid();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int rank = static_cast<int>(grid.thread_rank());
  for (int at = rank; at - rank % 32 < count; at += static_cast<int>(grid.size())) {
    const int v = at < count ? pile[at] : 0;
    const int label = at < count ? s.dist[v] : -1;
    const bool far = label >= r.limit;
    enqueue(s, r, v, label >= settled && !far, far);
    const int kept = cg::reduce(warp, far ? label : int{kNever}, cg::less<int>());
    if (warp.thread_rank() == 0 && kept < kNever) atomicMin(least, kept);
  }
}

__global__ void __launch_bounds__(kBlock) search(Search s, int source) {
  const auto grid = cg::this_grid();
  const int rank = static_cast<int>(grid.thread_rank()), stride = static_cast<int>(grid.size());
  for (int v = rank; v < s.n; v += stride) {
    s.dist[v] = v == source ? 0 : kNever;
    s.round_of[v] = -1;
  }
  if (rank == 0) {
    *s.control = {{1, 0, 0}, {0, 0, 0}, {kNever, kNever, kNever}, 0};
    s.near[0][0] = source;
  }
  grid.sync();
  Control& c = *s.control;
  int settled = 0, limit = s.delta, piles = 0;
  for (int number = 0;; ++number) {
    const int count = *static_cast<volatile int*>(c.near + number % 3);
    const int* queue = s.near[number % 2];
    const bool splits = count == 0;
    const int waiting =
        splits ? min(s.far_room, *static_cast<volatile int*>(c.far + piles % 3)) : 0;
    if (splits) {
      if (waiting == 0) break;
      const int least = *static_cast<volatile int*>(c.least + piles % 3);
      settled = limit;
      limit = (least < kNever ? max(limit, least) : limit) + s.delta;
      if (limit < settled) limit = kNever;
      ++piles;
    }
    if (rank == 0) {
      c.near[(number + 2) % 3] = 0;
      if (splits) {
        c.far[(piles + 1) % 3] = 0;
        c.least[(piles + 1) % 3] = kNever;
      }
    }
    const Round r{number,
                  limit,
                  s.near[(number + 1) % 2],
                  c.near + (number + 1) % 3,
                  s.far[piles % 2],
                  c.far + piles % 3};
    if (splits)
      split(s, r, s.far[(piles + 1) % 2], waiting, settled, c.least + piles % 3);
    else
      for (int item = rank; item - rank % 32 < count; item += stride)
        relax_warp(s, r, queue, count, item);
    grid.sync();
  }
}

struct Graph {
  std::vector<int> offsets, heads, weights;
};

template <class T>
std::vector<int> narrowed(std::istream& file, std::size_t count) {
  std::vector<T> read(count);
  file.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the file of the graph is too short");
  std::vector<int> narrow;
  narrow.reserve(count);
  for (const T value : read) {
    if (value < 0 || value >= kNever)
      throw std::runtime_error("offsets and weights are below 2^31 - 1");
    narrow.push_back(static_cast<int>(value));
  }
  return narrow;
}

Graph read_graph(const char* name) {
  std::ifstream file(name, std::ios::binary);
  std::string magic, version, type;
  std::size_t n = 0, m = 0;
  file >> magic >> version >> type >> n >> m;
  file.get();  // the end of the line
  Graph graph;
  graph.offsets = narrowed<std::int64_t>(file, n + 1);
  graph.heads = narrowed<std::int32_t>(file, m);
  if (type == "int32")
    graph.weights = narrowed<std::int32_t>(file, m);
  else if (type == "int64")
    graph.weights = narrowed<std::int64_t>(file, m);
  else
    throw std::runtime_error("weights are int32 or int64 here, not " + type);
  return graph;
}

/// The width of Davidson et al., 32 times the mean weight over the mean degree.
int rule_of_delta(const Graph& graph) {
  const double n = static_cast<double>(graph.offsets.size() - 1);
  const double m = std::max<double>(1.0, static_cast<double>(graph.weights.size()));
  const double sum = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
  return static_cast<int>(std::clamp(32 * (sum / m) / (m / n), 1.0, 1e9));
}

void run(char** words) {
  using Clock = std::chrono::steady_clock;
  const Graph graph = read_graph(words[1]);
  const auto start = Clock::now();
  const int n = static_cast<int>(graph.offsets.size() - 1);
  const std::size_t room =
      std::min<std::size_t>(kNever, 4 * graph.heads.size() + static_cast<std::size_t>(n));
  const OnDevice<int> offsets(graph.offsets), heads(graph.heads), weights(graph.weights);
  const OnDevice<int> dist(n), round_of(n), near0(n), near1(n), far0(room), far1(room);
  const OnDevice<Control> control(1);
  const Search s{n,
                 offsets,
                 heads,
                 weights,
                 dist,
                 round_of,
                 {near0, near1},
                 {far0, far1},
                 static_cast<int>(room),
                 rule_of_delta(graph),
                 control};
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, search, kBlock, 0));
  int* found = nullptr;
  check(cudaMallocHost(&found, std::max(n, 1) * sizeof(int)));
  const auto ms = [](auto from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  };
  std::printf("build %f\nlabels int32\nabout delta %d\n", 1e-3 * ms(start), s.delta);
  std::ifstream sources(words[2]);
  std::ofstream out(words[3], std::ios::binary);
  for (int source = 0; sources >> source;) {
    if (source < 0 || source >= n) throw std::runtime_error("a source is not a vertex");
    const auto begin = Clock::now();
    Search argument = s;
    void* arguments[] = {&argument, &source};
    check(cudaLaunchCooperativeKernel(search, blocks * processors, kBlock, arguments, 0, nullptr));
    check(cudaMemcpy(found, dist, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("time %f\n", ms(begin));
    Control end{};
    check(cudaMemcpy(&end, control, sizeof end, cudaMemcpyDeviceToHost));
    if (end.lost) throw std::runtime_error("a distance needs 64 bits, or the far pile was full");
    out.write(reinterpret_cast<const char*>(found), static_cast<std::streamsize>(n * sizeof(int)));
  }
  check(cudaFreeHost(found));
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fprintf(stderr, "usage: near_far GRAPH SOURCES DISTANCES THREADS\n");
    return 2;
  }
  try {
    run(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "near_far: %s\n", error.what());
    return 1;
  }
}
