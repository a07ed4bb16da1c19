// scheduler.cpp - runs a launch: all its threads as fibers, in an order drawn from a seed.
//
// At each switch, the next fiber is drawn from the ready ones. The number of steps between two
// switches is drawn too, around a mean that is drawn per launch: some launches switch at almost
// every atomic, others rarely.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "cuda_on_cpu.hpp"
#include "fiber.hpp"
#include "launch.hpp"

namespace emulated {

Thread* self = nullptr;
Grid grid{};

/// A launch is given up after so many switches in which no thread advanced; tests lower this limit.
extern "C" {
__attribute__((visibility("default"))) Word warpath_most_changes = Word{1} << 28;
}

namespace {

/// Releases the threads that wait at their block's barrier.
void open(Block& block) {
  job.idle = 0;
  int& result = block.results[block.phase & 1];
  switch (block.kind) {
    case Barrier::kPlain:
      result = 0;
      break;
    case Barrier::kOr:
      result = block.sum > 0;
      break;
    case Barrier::kAnd:
      result = block.sum == block.arrived;
      break;
    case Barrier::kCount:
      result = static_cast<int>(block.sum);
      break;
  }
  ++block.phase;
  block.arrived = 0;
  for (unsigned t = 0; t < job.threads; ++t)
    if (block.fibers[t].state == State::kAtBlock) make_ready(block.fibers[t]);
}

void open_grid() {
  job.idle = 0;
  job.at_grid = 0;
  ++job.grid_phase;
  for (unsigned i = 0; i < job.places * job.threads; ++i)
    if (fibers[i].state == State::kAtGrid) make_ready(fibers[i]);
}

/// Fills memory with garbage, word by word: the sanitizers would intercept a memset.
void spoil(char* begin, std::size_t bytes) {
  auto* words = reinterpret_cast<volatile Word*>(begin);
  for (std::size_t i = 0; i < (bytes + 7) / 8; ++i) words[i] = kGarbage;
}

/// Starts the next block in this place.
void admit(Block& block) {
  block.number = job.next++;
  ++block.turn;
  block.live = job.threads;
  block.arrived = 0;
  job.live += job.threads;
  for (unsigned w = 0; w < (job.threads + 31) / 32; ++w) {
    const unsigned lanes = job.threads - w * 32;
    block.warps[w].returned = lanes < 32 ? ~0u << lanes : 0;
    block.warps[w].waiting = 0;
  }
  spoil(block.memory, job.shared);
  for (unsigned t = 0; t < job.threads; ++t) {
    Fiber& fiber = block.fibers[t];
    fiber.block = {block.number, 0, 0};
    fiber.context.name(block.number, t);
    make_ready(fiber);
  }
}

/// Called when a fiber returns from the kernel; returns when the fiber is to run the kernel again.
void finish() {
  Fiber& me = *current;
  Block& block = *me.home;
  release(&job.end);
  if (job.blocks > job.places) release(&block.handed_on[block.turn & 1]);
  leave(State::kReturned);
  job.idle = 0;
  --job.live;
  me.group->returned |= 1u << me.lane;
  for (unsigned i = 0; me.group->waiting != 0 && i < 32; ++i) {
    const Fiber& other = me.lanes[i];
    if ((me.group->waiting >> i & 1) == 0 || (other.mask >> me.lane & 1) == 0) continue;
    say_waiting(other);
    say(", and lane %u has returned", me.lane);
    give_up();
  }
  if (--block.live == 0) {
    ++job.returned;
    if (job.next < job.blocks) admit(block);
  } else if (block.arrived == block.live) {
    open(block);
  }
  if (job.at_grid != 0) {
    if (block.live == 0) {
      for (unsigned i = 0; i < job.places * job.threads; ++i) {
        if (fibers[i].state != State::kAtGrid) continue;
        say_waiting(fibers[i]);
        break;
      }
      say(", and block %u has returned", block.number);
      give_up();
    }
    if (job.at_grid == job.live) open_grid();
  }
  change();
}

void body() {
  current->context.arrived();
  for (;;) {
    acquire(&job.start);
    if (job.blocks > job.places) acquire(&current->home->handed_on[(current->home->turn - 1) & 1]);
    job.run(job.kernel, job.args);
    finish();
  }
}

/// Gives each lane of the mask the result of the intrinsic.
void exchange(Warp kind, unsigned mask, Fiber* lanes) {
  Word votes = 0;
  for (unsigned i = 0; i < 32; ++i) votes |= (mask >> i & lanes[i].value & 1) << i;
  for (unsigned i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    Fiber& lane = lanes[i];
    switch (kind) {
      case Warp::kSync:
        break;
      case Warp::kBallot:
        lane.result = votes;
        break;
      case Warp::kShuffle:  // CUDA leaves a source outside the mask undefined
        lane.result = (mask >> lane.source & 1) != 0 ? lanes[lane.source].value : kGarbage;
        break;
      case Warp::kMatch:
        lane.result = 0;
        for (unsigned j = 0; j < 32; ++j)
          if ((mask >> j & 1) != 0 && lanes[j].value == lane.value) lane.result |= Word{1} << j;
        break;
    }
  }
}

/// Creates the places of blocks and the fibers of their threads.
void prepare() {
  for (unsigned p = 0; p < job.places; ++p) {
    Block& block = places[p];
    if (block.memory == nullptr) {
      void* memory = mmap(nullptr, 2 * kMostShared, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) throw std::bad_alloc();
      block.memory = static_cast<char*>(memory);
    }
    forbid(block.memory, 2 * kMostShared);
    block.fibers = fibers + p * job.threads;
    for (unsigned t = 0; t < job.threads; ++t) {
      Fiber& fiber = block.fibers[t];
      fiber.thread = {t, 0, 0};
      fiber.home = &block;
      fiber.lane = t % 32;
      fiber.lanes = block.fibers + (t - t % 32);
      fiber.group = &block.warps[t / 32];
    }
  }
  for (; begun < job.places * job.threads; ++begun) fibers[begun].context.begin(body, begun);
}

/// Records the operation that the running fiber waits for.
inline void wait_for(const char* what, const char* file, int line) {
  current->what = what;
  current->file = file;
  current->line = line;
}

}  // namespace

void yield() {
  if (++job.idle > warpath_most_changes) {
    say_who(*current);
    say(" and %u others that wait for no barrier have changed %llu times, and no thread has "
        "returned or passed a barrier since: do they wait for each other?",
        ready_count - 1, warpath_most_changes);
    give_up();
  }
  change();
}

void count_step() {
  if (--grid.patience <= 0) yield();
}

void fence() {
  // All fences are assumed to have one total order: this hides some races but reports no false one.
  acquire(&job.fences);
  release(&job.fences);
  yield();
}

int block_barrier(Barrier kind, int predicate, const char* file, int line) {
  static constexpr const char* kNames[] = {"__syncthreads", "__syncthreads_or", "__syncthreads_and",
                                           "__syncthreads_count"};
  Block& block = *current->home;
  wait_for(kNames[static_cast<int>(kind)], file, line);
  if (block.arrived == 0) {
    block.kind = kind;
    block.file = file;
    block.line = line;
    block.sum = 0;
  } else if (block.kind != kind || block.line != line ||
             (block.file != file && std::strcmp(block.file, file) != 0)) {
    say_who(*current);
    say(" is at %s (%s:%d) while others of its block wait at %s (%s:%d): all threads of a block "
        "must take the same barrier",
        current->what, base_name(file), line, kNames[static_cast<int>(block.kind)],
        base_name(block.file), block.line);
    give_up();
  }
  const unsigned turn = block.phase & 1;
  block.sum += predicate != 0;
  ++block.arrived;
  release(&block.order[turn]);
  if (block.arrived == block.live)
    open(block);
  else
    leave(State::kAtBlock);
  change();
  acquire(&block.order[turn]);
  return block.results[turn];
}

void grid_barrier(const char* file, int line) {
  wait_for("grid_barrier", file, line);
  if (job.blocks > job.places || job.returned > 0) {
    say_who(*current);
    say(" is at grid_barrier (%s:%d), ", base_name(file), line);
    if (job.blocks > job.places)
      say("but only %u of %u blocks can be live at once: launch no more", job.places, job.blocks);
    else
      say("but %u of %u blocks have returned", job.returned, job.blocks);
    give_up();
  }
  const unsigned turn = job.grid_phase & 1;
  ++job.at_grid;
  release(&job.grid_order[turn]);
  if (job.at_grid == job.live)
    open_grid();
  else
    leave(State::kAtGrid);
  change();
  acquire(&job.grid_order[turn]);
}

Word warp(Warp kind, unsigned mask, Word value, int source, const char* what, const char* file,
          int line) {
  Fiber& me = *current;
  WarpState& group = *me.group;
  wait_for(what, file, line);
  me.kind = kind;
  me.mask = mask;
  me.value = value;
  me.source = source;
  const unsigned mine = 1u << me.lane;
  if ((mask & mine) == 0 || (mask & group.returned) != 0) {
    say_who(me);
    say(" calls %s (%s:%d) with mask 0x%08x, which ", what, base_name(file), line, mask);
    if ((mask & mine) == 0)
      say("lacks its own lane %u", me.lane);
    else
      say("has lanes that have returned or never were: 0x%08x", mask & group.returned);
    give_up();
  }
  const auto lowest = static_cast<unsigned>(__builtin_ctz(mask));
  Word* order = &group.order[lowest][group.phase[lowest] & 1];
  if (kind == Warp::kSync) release(order);
  bool complete = ((group.waiting | mine) & mask) == mask;
  for (unsigned i = 0; complete && i < 32; ++i) {
    const Fiber& other = me.lanes[i];
    if ((mask >> i & 1) != 0 && i != me.lane) complete = other.mask == mask && other.kind == kind;
  }
  if (!complete) {
    group.waiting |= mine;
    leave(State::kAtWarp);
  } else {
    ++group.phase[lowest];
    exchange(kind, mask, me.lanes);
    group.waiting &= ~mask;
    for (unsigned i = 0; i < 32; ++i)
      if ((mask >> i & 1) != 0 && i != me.lane) make_ready(me.lanes[i]);
  }
  change();
  if (kind == Warp::kSync) acquire(order);
  return me.result;
}

void trap(const char* file, int line) {
  say_who(*current);
  say(": __trap() (%s:%d)", base_name(file), line);
  give_up();
}

void* shared(Site& site, unsigned long long size, unsigned long long alignment) {
  if (site.launch != job.number) {
    const Word offset = (job.shared + kGap + alignment - 1) / alignment * alignment;
    job.shared_size += size;
    if (job.shared_size > kMostShared) {
      say_who(*current);
      say(" needs %u bytes of shared memory with an array of %llu; a block has %u", job.shared_size,
          size, kMostShared);
      give_up();
    }
    site = {job.number, static_cast<unsigned>(offset)};
    job.shared = static_cast<unsigned>((offset + size + 15) / 16 * 16);
    for (unsigned p = 0; p < job.places; ++p) {
      allow(places[p].memory + offset, size);
      spoil(places[p].memory + offset, job.shared - offset);
    }
  }
  return current->home->memory + site.offset;
}

int launch(Run run, const void* kernel, const char* name, unsigned blocks, unsigned threads,
           Word seed, void** args, char* error, unsigned long capacity) {
  if (blocks == 0 || threads == 0 || threads > kMostThreads) {
    std::snprintf(error, capacity,
                  "kernel %s: %u blocks of %u threads: a launch has at least "
                  "one block, of 1 to %u threads",
                  name, blocks, threads, kMostThreads);
    return 1;
  }
  ++job.number;
  job.run = run;
  job.kernel = kernel;
  job.args = args;
  job.draws = (seed + 1) * 0x9e3779b97f4a7c15u;
  if (job.draws == 0) job.draws = 1;
  for (int i = 0; i < 4; ++i) draw();
  static constexpr unsigned kMeans[] = {1, 2, 8, 32, 256};
  job.mean = kMeans[draw_below(5)];
  job.threads = threads;
  job.blocks = blocks;
  job.places = std::min({blocks, std::max(1u, kMostFibers / threads), kMostPlaces});
  job.next = job.returned = job.live = job.shared = job.shared_size = job.at_grid = 0;
  job.idle = 0;
  job.failed = false;
  job.error[0] = 0;
  grid.threads = {threads, 1, 1};
  grid.blocks = {blocks, 1, 1};
  try {
    prepare();
  } catch (const std::bad_alloc&) {
    std::snprintf(error, capacity, "kernel %s: no memory for %u stacks of %zu KiB", name,
                  job.places * threads, Context::kStack / 1024);
    return 1;
  }
  ready_count = 0;
  release(&job.start);
  for (unsigned p = 0; p < job.places; ++p) admit(places[p]);
  at = draw_below(ready_count);
  self = current = ready[at];
  grid.patience = 1;
  launcher.switch_to(current->context);
  acquire(&job.end);
  if (!job.failed) {
    if (job.live == 0) return 0;
    say_deadlock();
  }
  std::snprintf(error, capacity, "kernel %s: %s", name, job.error);
  // Fibers that did not return are abandoned: they begin anew at the next launch.
  for (unsigned i = 0; i < job.places * job.threads; ++i) fibers[i].context.begin(body, i);
  return 1;
}

}  // namespace emulated
