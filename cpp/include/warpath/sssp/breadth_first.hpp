// breadth_first.hpp - direction-optimizing breadth-first search, for equal weights.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

struct BreadthFirstResult {
  std::int64_t settled = 0;   // vertices reached
  std::int64_t relaxed = 0;   // edges examined
  std::int64_t improved = 0;  // labels assigned, except the source's
  std::int64_t rounds = 0;    // levels
};

/// Direction-optimizing breadth-first search. While the frontier is small, its vertices scan their
/// out-edges (top-down). When these edges are many, every unvisited vertex scans its in-edges until
/// it meets a frontier vertex (bottom-up). Without in-edges the search is top-down only.
///
/// The label of a level is the previous label plus the weight of an edge, in the arithmetic of
/// labels: the sum along every path with that many edges, so all labels have the same bits as
/// Dijkstra's. The weight must be >= 0; integer labels must hold n weights.
///
/// Work O(n + m), often far less. Memory: a queue entry and three bits per vertex. The threads that
/// have joined share the levels that justify a barrier; the calling thread processes the others
/// alone. `assemble` as in OpenTeam. Source: Beamer, Asanovic, Patterson, "Direction-optimizing
/// breadth-first search", 2012.
template <Index V, class D>
class BreadthFirst {
 public:
  BreadthFirst(Adjacency<V> out, Adjacency<V> into, std::span<D> dist, D weight, D cutoff,
               int threads, bool assemble, Control& control)
      : out_(out),
        into_(into),
        dist_(dist),
        weight_(weight),
        cutoff_(cutoff),
        threads_(threads),
        control_(control),
        team_(threads, assemble, control),
        queue_(std::make_unique_for_overwrite<V[]>(dist.size())),
        visited_((dist.size() + kBits - 1) / kBits),
        bitmap_(into.indptr.empty() ? 0 : visited_.size()),
        next_bitmap_(bitmap_.size()),
        unexplored_(static_cast<std::int64_t>(out.indices.size())) {}

  BreadthFirstResult run(V source) {
    control_.expect(static_cast<std::int64_t>(dist_.size()));
    run_open_team(threads_, control_, [&](int rank) {
      Worker worker(control_, rank == 0);
      fill(rank);
      if (rank == 0) {
        team_.await_requests();
        start(source, worker);
      } else if (unsigned ticket = 0; !team_.request_membership(rank, ticket)) {
        return;
      }
      team_.barrier(rank);
      while (step_ != Step::kDone) {
        if (step_ == Step::kBottomUp)
          bottom_up(worker);
        else
          top_down<true>(worker);
        publish<true>(worker);
        team_.barrier(rank);
        if (rank == 0) advance(worker);
        team_.barrier(rank);
      }
      if (rank == 0) team_.close();
    });
    result_.relaxed = relaxed_.load();
    return result_;
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;
  static constexpr std::int64_t kAlpha = 15;          // bottom-up from this share of the edges left
  static constexpr std::int64_t kBeta = 18;           // and back at this share of the vertices
  static constexpr std::size_t kWorthSharing = 1024;  // vertices of a frontier
  static constexpr std::size_t kChunk = 256;          // of these, claimed at once
  static constexpr std::size_t kWords = 64;           // words of bits claimed at once
  static constexpr std::int64_t kFilled = 1 << 13;    // distances filled at once
  static constexpr std::size_t kAhead = 8;            // vertices whose rows are prefetched
  static constexpr std::int64_t kPiece = 256;  // edges of a row between two checks of the space

  enum class Step { kAlone, kShared, kBottomUp, kDone };

  /// One thread's results of a level, before they are accumulated.
  struct Worker {
    Worker(Control& control, bool owner) : poller(control, owner) {}

    Poller poller;
    std::array<V, 1024> found;
    std::size_t size = 0;
    std::int64_t edges = 0;  // out-edges of the vertices found
    std::int64_t relaxed = 0;
  };

  static std::size_t at(V v) { return static_cast<std::size_t>(v); }
  static std::size_t word_of(V v) { return at(v) / kBits; }
  static Word bit_of(V v) { return Word{1} << (at(v) % kBits); }
  bool may_go_bottom_up() const { return !bitmap_.empty(); }

  void fill(int rank) {
    const auto n = static_cast<std::int64_t>(dist_.size());
    team_.parallel_for(filled_, ceil_div(n, kFilled), rank, [&](std::int64_t part) {
      std::fill(dist_.data() + part * kFilled, dist_.data() + std::min(n, (part + 1) * kFilled),
                unreachable<D>);
    });
  }

  void start(V source, Worker& worker) {
    if (dist_.size() % kBits != 0) visited_.back() = ~Word{0} << (dist_.size() % kBits);
    visited_[word_of(source)] |= bit_of(source);
    worker.found[worker.size++] = source;
    publish<false>(worker);
    advance(worker);
  }

  /// Rank 0, while the others wait: processes levels that are too small to share.
  void advance(Worker& worker) {
    decide();
    while (step_ == Step::kAlone) {
      top_down<false>(worker);
      publish<false>(worker);
      decide();
    }
  }

  /// Makes the vertices found the frontier and chooses the direction of the next level.
  void decide() {
    team_.accept_members();
    const bool was_bottom_up = step_ == Step::kBottomUp;
    begin_ = end_;
    end_ = tail_.load(std::memory_order_relaxed);
    const std::size_t size = was_bottom_up ? found_bottom_up_.exchange(0) : end_ - begin_;
    const std::int64_t edges = found_edges_.exchange(0);
    unexplored_ -= edges;
    label_ = static_cast<D>(label_ + weight_);
    cursor_.store(0, std::memory_order_relaxed);
    result_.settled += static_cast<std::int64_t>(size);
    result_.improved = result_.settled - 1;
    control_.advance(static_cast<std::int64_t>(size));
    if (size == 0 || label_ > cutoff_ || label_ == unreachable<D>) {
      step_ = Step::kDone;
      return;
    }
    ++result_.rounds;
    const std::size_t before = std::exchange(size_, size);
    if (was_bottom_up) {
      std::swap(bitmap_, next_bitmap_);
      if (size >= before || size > dist_.size() / kBeta) return;
      bitmap_to_queue();
    } else if (may_go_bottom_up() && edges > unexplored_ / kAlpha) {
      queue_to_bitmap();
      step_ = Step::kBottomUp;
      return;
    }
    step_ = team_.members() > 1 && end_ - begin_ >= kWorthSharing ? Step::kShared : Step::kAlone;
  }

  void queue_to_bitmap() {
    std::fill(bitmap_.begin(), bitmap_.end(), Word{0});
    for (std::size_t i = begin_; i < end_; ++i) bitmap_[word_of(queue_[i])] |= bit_of(queue_[i]);
  }

  void bitmap_to_queue() {
    begin_ = end_;
    for (std::size_t word = 0; word < bitmap_.size(); ++word)
      for (Word left = bitmap_[word]; left != 0; left &= left - 1)
        queue_[end_++] =
            static_cast<V>(word * kBits + static_cast<std::size_t>(std::countr_zero(left)));
    tail_.store(end_, std::memory_order_relaxed);
  }

  /// Top-down: the frontier's vertices scan their out-edges for unvisited vertices.
  template <bool kShared>
  void top_down(Worker& worker) {
    const std::int64_t* const indptr = out_.indptr.data();
    for (;;) {
      const std::size_t from =
          begin_ + (kShared ? cursor_.fetch_add(kChunk, std::memory_order_relaxed)
                            : std::exchange(alone_, alone_ + kChunk));
      if (from >= end_) break;
      const std::size_t to = std::min(from + kChunk, end_);
      for (std::size_t i = from; i < to; ++i) {
        if (i + 2 * kAhead < end_) __builtin_prefetch(indptr + queue_[i + 2 * kAhead]);
        if (i + kAhead < end_) __builtin_prefetch(out_.indices.data() + indptr[queue_[i + kAhead]]);
        const std::int64_t behind = indptr[queue_[i] + 1];
        for (std::int64_t e = indptr[queue_[i]]; e < behind; e += kPiece)
          scan_edges<kShared>(e, std::min(behind, e + kPiece), worker);
      }
    }
    if constexpr (!kShared) alone_ = 0;
  }

  template <bool kShared>
  void scan_edges(std::int64_t begin, std::int64_t end, Worker& worker) {
    worker.poller.step(end - begin + 1);
    worker.relaxed += end - begin;
    if (worker.size + kPiece > worker.found.size()) flush<kShared>(worker);
    const V* const heads = out_.indices.data();
    Word* const visited = visited_.data();
    std::size_t size = worker.size;
    // Branch-free: which vertices are visited already is as good as random.
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = heads[e];
      Word& word = visited[word_of(v)];
      worker.found[size] = v;
      if constexpr (kShared) {
        const atomic_ref<Word> seen(word);
        size += (seen.load(std::memory_order_relaxed) & bit_of(v)) == 0;
      } else {
        size += (word & bit_of(v)) == 0;
        word |= bit_of(v);
      }
    }
    worker.size = size;
  }

  /// Labels the vertices found and appends them to the queue. In a shared level, a vertex counts
  /// for the first edge and thread that claims it only.
  template <bool kShared>
  void flush(Worker& worker) {
    if constexpr (kShared) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < worker.size; ++i) {
        const V v = worker.found[i];
        atomic_ref<Word> seen(visited_[word_of(v)]);
        worker.found[kept] = v;
        kept += (seen.fetch_or(bit_of(v), std::memory_order_relaxed) & bit_of(v)) == 0;
      }
      worker.size = kept;
    }
    if (worker.size == 0) return;
    const std::span<const V> found(worker.found.data(), worker.size);
    const std::size_t place = tail_.fetch_add(found.size(), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), queue_.get() + place);
    for (const V v : found) dist_[at(v)] = label_;
    if (may_go_bottom_up())
      for (const V v : found) worker.edges += out_.degree(v);
    worker.size = 0;
  }

  /// Adds this thread's remaining results of the level.
  template <bool kShared>
  void publish(Worker& worker) {
    flush<kShared>(worker);
    found_edges_.fetch_add(std::exchange(worker.edges, 0), std::memory_order_relaxed);
    relaxed_.fetch_add(std::exchange(worker.relaxed, 0), std::memory_order_relaxed);
  }

  /// Bottom-up: unvisited vertices search for a frontier vertex. Each word belongs to one thread.
  void bottom_up(Worker& worker) {
    const std::size_t words = visited_.size();
    std::size_t found = 0;
    for (;;) {
      const std::size_t from = cursor_.fetch_add(kWords, std::memory_order_relaxed);
      if (from >= words) break;
      for (std::size_t word = from; word < std::min(words, from + kWords); ++word) {
        Word reached = 0;
        for (Word left = ~visited_[word]; left != 0; left &= left - 1) {
          const auto v =
              static_cast<V>(word * kBits + static_cast<std::size_t>(std::countr_zero(left)));
          if (!has_frontier_neighbour(v, worker)) continue;
          reached |= bit_of(v);
          dist_[at(v)] = label_;
        }
        next_bitmap_[word] = reached;
        visited_[word] |= reached;
        found += static_cast<std::size_t>(std::popcount(reached));
      }
    }
    found_bottom_up_.fetch_add(found, std::memory_order_relaxed);
  }

  bool has_frontier_neighbour(V v, Worker& worker) const {
    const std::int64_t begin = into_.indptr[at(v)];
    const std::int64_t end = into_.indptr[at(v) + 1];
    std::int64_t e = begin;
    bool met = false;
    while (e < end && !met) {
      const V u = into_.indices[static_cast<std::size_t>(e++)];
      met = (bitmap_[word_of(u)] & bit_of(u)) != 0;
    }
    worker.relaxed += e - begin;
    worker.poller.step(e - begin + 1);
    return met;
  }

  const Adjacency<V> out_;
  const Adjacency<V> into_;
  const std::span<D> dist_;
  const D weight_;
  const D cutoff_;
  const int threads_;
  Control& control_;
  OpenTeam team_;
  DynamicLoop filled_;
  std::unique_ptr<V[]> queue_;  // the frontier is [begin_, end_), followed by the vertices found
  std::vector<Word> visited_;
  std::vector<Word> bitmap_;  // the frontier as bits, for bottom-up levels
  std::vector<Word> next_bitmap_;
  // Written by rank 0 between two barriers.
  Step step_ = Step::kAlone;
  D label_ = 0;  // of the vertices found
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t size_ = 0;
  std::size_t alone_ = 0;
  std::int64_t unexplored_;  // out-edges of unvisited vertices
  BreadthFirstResult result_;
  // Accumulated by all threads.
  std::atomic<std::size_t> tail_{0};
  std::atomic<std::size_t> cursor_{0};
  std::atomic<std::size_t> found_bottom_up_{0};
  std::atomic<std::int64_t> found_edges_{0};
  std::atomic<std::int64_t> relaxed_{0};
};

}  // namespace warpath
