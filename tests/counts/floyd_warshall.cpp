// Floyd-Warshall: the tiles of each type, with AVX2.
#include "warpath/dense/floyd_warshall.hpp"

#include "counts.hpp"
#include "warpath/dense/adjacency.hpp"

using namespace counts;

constexpr std::int64_t kN = 192;

template <class T>
void close() {
  if (warpath::vector_bytes(kBytes) != kBytes) {
    std::cerr << "the counts are of AVX2, which this machine does not have\n";
    std::exit(3);
  }
  Control control;
  const warpath::Draws draws(kSeed, warpath::Purpose::kWeight);
  std::vector<T> matrix(static_cast<std::size_t>(kN * kN));
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<T>(draws.below(i, 1000));
  for (std::size_t i = 0; i < matrix.size(); i += static_cast<std::size_t>(kN) + 1) matrix[i] = 0;
  count([&] { warpath::floyd_warshall<T>(matrix.data(), kN, kN, false, 1, kBytes, control); });
}

void adjacency() {
  Control control;
  const auto graph = rmat<std::int32_t>();
  std::vector<std::int32_t> out(static_cast<std::size_t>(graph.n() * graph.n()));
  count([&] {
    warpath::adjacency_rows<V, std::int32_t, std::int32_t>(graph.view(), 0, out.data(), graph.n(),
                                                           1, control);
  });
}

int main(int argc, char** argv) {
  return counts::main(argc, argv,
                      {{"int32", close<std::int32_t>},
                       {"int64", close<std::int64_t>},
                       {"float32", close<float>},
                       {"float64", close<double>},
                       {"adjacency.rmat.int32", adjacency}});
}
