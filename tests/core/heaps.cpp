// Runs one heap through the commands on standard input and looks at its insides after each.
//
// heaps NAME N, then lines: "s VERTEX KEY" queues a vertex, or lowers its key if that is less;
// "p" pops and prints "KEY VERTEX", or "none"; "d" drains and prints how many.
// A broken rule ends it with status 1 and a line that names the rule and the command.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// The rules are about links, ranks and marks, which are nobody else's business.
#define private public
#include "warpath/queues/binary_heap.hpp"
#include "warpath/queues/fibonacci_heap.hpp"
#include "warpath/queues/relaxed_heap.hpp"
#undef private

using V = std::int32_t;
using Key = std::int64_t;
using Binary = warpath::BinaryHeap<Key, V>;
using Fibonacci = warpath::FibonacciHeap<Key, V>;
using Relaxed = warpath::RelaxedHeap<Key, V>;

int command = 0;

void expect(bool holds, const char* rule) {
  if (holds) return;
  std::cout << "command " << command << ": " << rule << std::endl;
  std::exit(1);
}

std::size_t at(V v) { return static_cast<std::size_t>(v); }

class BinaryRules {
 public:
  void check(const Binary& heap, std::size_t queued, bool) {
    expect(heap.entries_.size() == queued, "every vertex has one entry");
    for (std::size_t i = 0; i < queued; ++i) {
      expect(heap.places_[at(heap.entries_[i].vertex)] == static_cast<V>(i), "places are known");
      if (i > 0) expect(heap.entries_[(i - 1) / 2].key <= heap.entries_[i].key, "heap order");
    }
    const auto absent = std::count(heap.places_.begin(), heap.places_.end(), V{-1});
    expect(heap.places_.size() - static_cast<std::size_t>(absent) == queued,
           "others have no place");
  }
};

class FibonacciRules {
 public:
  void check(const Fibonacci& heap, std::size_t queued, bool popped) {
    nodes_ = &heap.nodes_;
    met_ = 0;
    std::vector<bool> degrees(heap.kDegrees);
    for (V root = heap.roots_; root != -1; root = node(root).right) {
      expect(node(root).parent == -1, "a root has no parent");
      expect(!node(root).marked, "a root is not marked");
      expect(node(heap.minimum_).key <= node(root).key, "the least key is known");
      if (popped) expect(!degrees[node(root).degree], "a pop leaves one root of a degree");
      degrees[node(root).degree] = true;
      descend(root);
    }
    expect(met_ == queued, "every queued vertex is in a tree");
    expect((heap.minimum_ == -1) == (queued == 0), "an empty heap has no least vertex");
    for (const V root : heap.by_degree_) expect(root == -1, "consolidation leaves nothing behind");
    if (!before_.empty()) check_marks(popped);
    before_ = heap.nodes_;
  }

 private:
  const Fibonacci::Node& node(V v) const { return (*nodes_)[at(v)]; }

  void descend(V v) {
    ++met_;
    std::vector<V> children;  // the first was linked last
    V left = -1;
    for (V child = node(v).child; child != -1; child = node(child).right) {
      expect(node(child).left == left && node(child).parent == v, "links go both ways");
      expect(node(v).key <= node(child).key, "heap order");
      children.push_back(child);
      left = child;
    }
    expect(children.size() == node(v).degree, "a degree is a number of children");
    std::size_t later = children.size();
    for (const V child : children) {
      expect(node(child).degree + 2u >= later, "the i-th child has i - 2 children or more");
      --later;
      descend(child);
    }
  }

  /// A vertex is marked once a lowered key cuts its child, until it has another parent.
  void check_marks(bool popped) {
    for (std::size_t v = 0; v < before_.size(); ++v) {
      const auto& now = (*nodes_)[v];
      const auto& then = before_[v];
      if (now.parent < 0) continue;
      const bool kept = now.parent == then.parent;
      const bool lost = !popped && kept && now.degree < then.degree;
      expect(!lost || then.degree - now.degree == 1, "one lowered key cuts one child at most");
      expect(!lost || !then.marked, "a marked vertex that loses a child is cut");
      expect(now.marked == (kept && (then.marked || lost)), "marks tell of one lost child");
    }
  }

  const std::vector<Fibonacci::Node>* nodes_ = nullptr;
  std::vector<Fibonacci::Node> before_;
  std::size_t met_ = 0;
};

class RelaxedRules {
 public:
  void check(const Relaxed& heap, std::size_t queued, bool) {
    heap_ = &heap;
    met_ = 0;
    expect(heap.size_ == queued, "the size is known");
    for (std::size_t rank = 0; rank < heap.kRanks; ++rank) {
      const V root = heap.trees_[rank];
      expect((root != -1) == ((queued >> rank) & 1), "trees have the ranks of the size's bits");
      if (root != -1) {
        expect(node(root).parent == -1 && node(root).left == -1 && node(root).right == -1,
               "a root has no neighbours");
        expect(node(root).rank == rank, "a root stands under its rank");
        descend(root);
      }
      const V active = heap.active_[rank];
      expect((active != -1) == ((heap.active_ranks_ >> rank) & 1), "active ranks are known");
      if (active == -1) continue;
      expect(node(active).rank == rank, "an active vertex stands under its rank");
      expect(node(active).parent >= 0, "an active vertex has a parent");
      expect(node(active).right == -1, "an active vertex is a last child");
    }
    expect(met_ == queued, "every queued vertex is in a tree");
  }

 private:
  const Relaxed::Node& node(V v) const { return heap_->nodes_[at(v)]; }

  void descend(V v) {
    ++met_;
    int rank = node(v).rank;
    V right = -1;
    for (V child = node(v).last; child != -1; child = node(child).left) {
      expect(node(child).rank == --rank, "children have all smaller ranks");
      expect(node(child).right == right && node(child).parent == v, "links go both ways");
      expect(node(v).key <= node(child).key || heap_->active_[node(child).rank] == child,
             "a vertex smaller than its parent is active");
      right = child;
      descend(child);
    }
    expect(rank == 0, "children have all smaller ranks");
  }

  const Relaxed* heap_ = nullptr;
  std::size_t met_ = 0;
};

template <class Heap, class Rules>
int run(std::int64_t n) {
  constexpr Key kAbsent = std::numeric_limits<Key>::max();
  Heap heap(n);
  Rules rules;
  std::vector<Key> keys(static_cast<std::size_t>(n), kAbsent);
  std::size_t queued = 0;
  const auto leave = [&](const typename Heap::Entry& entry) {
    expect(keys[at(entry.vertex)] == entry.key, "an entry has its vertex's key");
    keys[at(entry.vertex)] = kAbsent;
    --queued;
  };
  for (char what; std::cin >> what; ++command) {
    if (what == 's') {
      V vertex;
      Key key;
      std::cin >> vertex >> key;
      if (key >= keys[at(vertex)]) continue;
      queued += keys[at(vertex)] == kAbsent;
      keys[at(vertex)] = key;
      heap.push(key, vertex);
    } else if (what == 'p') {
      typename Heap::Entry top;
      const Key least = *std::min_element(keys.begin(), keys.end());
      if (heap.pop(top, [](const auto&) { return true; })) {
        expect(top.key == least, "a pop gives the least key");
        leave(top);
        std::cout << top.key << ' ' << top.vertex << '\n';
      } else {
        expect(queued == 0, "only an empty heap has nothing to pop");
        std::cout << "none\n";
      }
    } else {
      const std::size_t before = queued;
      heap.drain(leave);
      expect(queued == 0, "a drain visits every vertex");
      std::cout << before << '\n';
    }
    rules.check(heap, queued, what != 's');
  }
  return 0;
}

int main(int, char** arguments) {
  const std::string name = arguments[1];
  const std::int64_t n = std::stoll(arguments[2]);
  if (name == "binary") return run<Binary, BinaryRules>(n);
  if (name == "fibonacci") return run<Fibonacci, FibonacciRules>(n);
  return run<Relaxed, RelaxedRules>(n);
}
