// RoutingKit's contraction hierarchy as a command of `warpath bench prepared`.
//
// docs/benchmarks/external-solvers.md has the protocol, and how this program is compiled.

#include <routingkit/constants.h>
#include <routingkit/contraction_hierarchy.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using RoutingKit::ContractionHierarchy;
using RoutingKit::ContractionHierarchyQuery;
using Vertices = std::vector<unsigned>;

namespace {

clockid_t clock_id = CLOCK_MONOTONIC;

/// Seconds by the clock that the command line named.
double now() {
  timespec time{};
  clock_gettime(clock_id, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Graph {
  unsigned n = 0;
  Vertices tails, heads, weights;
};

template <class T>
std::vector<T> values(std::istream& file, std::size_t count) {
  std::vector<T> read(count);
  file.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the file of the graph is too short");
  return read;
}

template <class T>
Vertices weights_of(std::istream& file, std::size_t count) {
  Vertices narrow;
  for (const T weight : values<T>(file, count)) {
    if (weight < 0 || weight >= static_cast<T>(RoutingKit::inf_weight))
      throw std::runtime_error("RoutingKit's weights are below 2^31 - 1");
    narrow.push_back(static_cast<unsigned>(weight));
  }
  return narrow;
}

Graph read_graph(const char* name) {
  std::ifstream file(name, std::ios::binary);
  std::string magic, version, type;
  std::size_t m = 0;
  Graph graph;
  file >> magic >> version >> type >> graph.n >> m;
  file.get();  // the end of the line
  const auto offsets = values<std::int64_t>(file, graph.n + std::size_t{1});
  for (unsigned u = 0; u < graph.n; ++u)
    graph.tails.insert(graph.tails.end(), static_cast<std::size_t>(offsets[u + 1] - offsets[u]), u);
  graph.heads = values<unsigned>(file, m);
  if (type == "int32")
    graph.weights = weights_of<std::int32_t>(file, m);
  else if (type == "int64")
    graph.weights = weights_of<std::int64_t>(file, m);
  else
    throw std::runtime_error("RoutingKit's weights are whole numbers");
  return graph;
}

Vertices read_vertices(std::istream& file, std::size_t count) {
  Vertices read(count);
  for (unsigned& vertex : read) file >> vertex;
  return read;
}

/// Answers one question after another, and writes the distances or the vertices of a route.
class Answers {
 public:
  Answers(const ContractionHierarchy& hierarchy, const char* out)
      : query_(hierarchy),
        to_all_(hierarchy),
        n_(hierarchy.node_count()),
        out_(out, std::ios::binary) {
    Vertices all(n_);
    std::iota(all.begin(), all.end(), 0U);
    to_all_.reset().pin_targets(all);
  }

  void answer(const std::string& form, std::istream& file) {
    if (form == "route") return route(read_vertices(file, 2));
    std::size_t rows = 0, columns = 0;
    file >> rows;
    if (form == "table") file >> columns;
    if (form == "pairs") return pairs(read_vertices(file, 2 * rows));
    const Vertices sources = read_vertices(file, rows), targets = read_vertices(file, columns);
    const double start = now();
    if (form == "all") {
      rows_of(to_all_, sources, n_);
    } else if (form == "table") {
      query_.reset().pin_targets(targets);
      rows_of(query_, sources, columns);
    } else {
      throw std::runtime_error("there is no form of questions " + form);
    }
    write(start);
  }

 private:
  void pairs(const Vertices& ends) {
    const double start = now();
    found_.resize(ends.size() / 2);
    for (std::size_t i = 0; i < found_.size(); ++i)
      found_[i] =
          query_.reset().add_source(ends[2 * i]).add_target(ends[2 * i + 1]).run().get_distance();
    write(start);
  }

  void route(const Vertices& ends) {
    const double start = now();
    query_.reset().add_source(ends[0]).add_target(ends[1]).run();
    const Vertices path = query_.get_node_path();
    std::printf("time %.6f\n", 1e3 * (now() - start));
    found_.assign(1, static_cast<unsigned>(path.size()));
    found_.insert(found_.end(), path.begin(), path.end());
    save();
  }

  void rows_of(ContractionHierarchyQuery& pinned, const Vertices& sources, std::size_t width) {
    found_.resize(sources.size() * width);
    for (std::size_t i = 0; i < sources.size(); ++i)
      pinned.reset_source()
          .add_source(sources[i])
          .run_to_pinned_targets()
          .get_distances_to_targets(found_.data() + i * width);
  }

  void write(double start) {
    std::printf("time %.6f\n", 1e3 * (now() - start));
    save();
  }

  void save() {
    const std::vector<std::int64_t> wide(found_.begin(), found_.end());
    out_.write(reinterpret_cast<const char*>(wide.data()),
               static_cast<std::streamsize>(wide.size() * sizeof(std::int64_t)));
  }

  ContractionHierarchyQuery query_, to_all_;
  unsigned n_;
  Vertices found_;
  std::ofstream out_;
};

void solve(char** words) {
  const Graph graph = read_graph(words[1]);
  const double start = now();
  const ContractionHierarchy hierarchy =
      ContractionHierarchy::build(graph.n, graph.tails, graph.heads, graph.weights);
  Answers answers(hierarchy, words[3]);
  std::printf("build %f\nlabels int64 %u\nabout arcs %zu\n", (now() - start),
              RoutingKit::inf_weight, hierarchy.forward.head.size());
  std::ifstream questions(words[2]);
  for (std::string form; questions >> form;) answers.answer(form, questions);
}

}  // namespace

int main(int count, char** words) {
  if (count == 6 && std::string(words[1]) == "processor") {
    clock_id = CLOCK_PROCESS_CPUTIME_ID;
    ++words;
  } else if (count != 5) {
    return std::fprintf(stderr, "usage: [processor] GRAPH QUESTIONS ANSWERS THREADS\n"), 2;
  }
  try {
    solve(words);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
