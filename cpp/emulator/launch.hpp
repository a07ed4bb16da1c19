// launch.hpp - state of the running launch: blocks, fibers, ready list, random draws, message.
//
// For scheduler.cpp only.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "cuda_on_cpu.hpp"
#include "fiber.hpp"

namespace emulated {

inline constexpr unsigned kMostThreads = 1024;      // per block, as in CUDA
inline constexpr unsigned kMostShared = 48 * 1024;  // static shared memory per block, as in CUDA
// Limit of the fibers that exist at once; further blocks wait for a free place. ThreadSanitizer
// takes 1.2 MB per fiber.
#ifdef WARPATH_SANITIZED_THREAD
inline constexpr unsigned kMostFibers = 1024;
#else
inline constexpr unsigned kMostFibers = 4096;
#endif
inline constexpr unsigned kMostPlaces = 512;
inline constexpr Word kGarbage = 0x7ff7dead7ff7deadu;  // a NaN, an index out of range, true
#ifdef WARPATH_SANITIZED_ADDRESS
inline constexpr unsigned kGap = 64;  // inaccessible bytes after each shared array
#else
inline constexpr unsigned kGap = 0;
#endif

enum class State { kReturned, kReady, kAtBlock, kAtWarp, kAtGrid };

/// A warp: 32 fibers of a block. `order` holds two synchronisation objects per lowest lane, which
/// successive __syncwarp use alternately.
struct WarpState {
  unsigned returned, waiting;
  unsigned char phase[32];
  Word order[32][2];
};

struct Fiber;

/// A place in which one block at a time lives.
struct Block {
  Fiber* fibers = nullptr;
  char* memory = nullptr;
  unsigned number = 0, live = 0, arrived = 0, sum = 0, phase = 0;
  Barrier kind{};
  const char* file = nullptr;
  int line = 0;
  int results[2] = {};
  Word order[2] = {};  // synchronisation objects of alternate barriers: no thread can be two ahead
  unsigned turn = 0;   // number of blocks that have used this place
  Word handed_on[2] = {};
  WarpState warps[kMostThreads / 32];
};

struct Fiber : Thread {
  Context context;
  State state = State::kReturned;
  Block* home = nullptr;
  Fiber* lanes = nullptr;  // lane 0 of its warp
  WarpState* group = nullptr;
  unsigned lane = 0;
  // The operation that the fiber waits for.
  const char *what = nullptr, *file = nullptr;
  int line = 0, source = 0;
  Warp kind{};
  unsigned mask = 0;
  Word value = 0, result = 0;
};

/// The running launch.
struct Job {
  Run run;
  const void* kernel;
  void** args;
  Word number, draws, idle, start, end, fences;
  unsigned mean, threads, blocks, places, next, returned, live;
  unsigned shared, shared_size;  // offset of the next shared array; size of all of them
  unsigned at_grid, grid_phase;
  Word grid_order[2];
  bool failed;
  char error[2048];
};
inline Job job{};

inline Fiber fibers[kMostFibers];  // used from the first on, so that most pages are never touched
inline Block places[kMostPlaces];
inline unsigned begun = 0;  // fibers that have a stack
inline Fiber* ready[kMostFibers];
inline unsigned ready_count = 0, at = 0;  // `at`: index of the running fiber in `ready`
inline Fiber* current = nullptr;
inline Context launcher;

/// 32 random bits (xorshift64*).
inline unsigned draw() {
  job.draws ^= job.draws >> 12;
  job.draws ^= job.draws << 25;
  job.draws ^= job.draws >> 27;
  return static_cast<unsigned>((job.draws * 0x2545f4914f6cdd1du) >> 32);
}
inline unsigned draw_below(unsigned bound) {
  return static_cast<unsigned>((Word{draw()} * bound) >> 32);
}

/// Appends to the error message of a failing launch.
__attribute__((format(printf, 1, 2))) inline void say(const char* format, ...) {
  const std::size_t used = std::strlen(job.error);
  va_list values;
  va_start(values, format);
  std::vsnprintf(job.error + used, sizeof job.error - used, format, values);
  va_end(values);
}

inline const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

inline void say_who(const Fiber& fiber) {
  say("block %u, thread %u", fiber.block.x, fiber.thread.x);
}

/// Ends the launch and abandons its fibers as they are.
[[noreturn]] inline void give_up() {
  job.failed = true;
  current->context.switch_to(launcher);
  std::terminate();
}

inline void say_waiting(const Fiber& fiber) {
  say_who(fiber);
  if (fiber.state == State::kAtBlock) {
    say(" waits at %s (%s:%d), where %u of %u threads are", fiber.what, base_name(fiber.file),
        fiber.line, fiber.home->arrived, fiber.home->live);
  } else if (fiber.state == State::kAtGrid) {
    say(" waits at grid_barrier (%s:%d), where %u of %u threads are", base_name(fiber.file),
        fiber.line, job.at_grid, job.live);
  } else {
    unsigned missing = 0;
    for (unsigned i = 0; i < 32; ++i) {
      if ((fiber.mask >> i & 1) == 0) continue;
      const Fiber& other = fiber.lanes[i];
      if (other.state != State::kAtWarp || other.mask != fiber.mask || other.kind != fiber.kind)
        missing |= 1u << i;
    }
    say(" waits in %s (%s:%d, mask 0x%08x) for lanes 0x%08x", fiber.what, base_name(fiber.file),
        fiber.line, fiber.mask, missing);
  }
}

/// Reports which threads wait for which operation, once per place in the source.
inline void say_deadlock() {
  say("deadlock: %u threads wait and none can go on", job.live);
  std::vector<const Fiber*> shown;
  for (unsigned i = 0; i < job.places * job.threads && shown.size() < 6; ++i) {
    const Fiber& fiber = fibers[i];
    if (fiber.state == State::kReturned) continue;
    bool known = false;
    for (const Fiber* other : shown)
      known |= std::strcmp(other->what, fiber.what) == 0 && other->line == fiber.line &&
               std::strcmp(other->file, fiber.file) == 0;
    if (known) continue;
    say(shown.empty() ? ": " : "; ");
    say_waiting(fiber);
    shown.push_back(&fiber);
  }
}

inline void make_ready(Fiber& fiber) {
  fiber.state = State::kReady;
  ready[ready_count++] = &fiber;
}

/// Switches to a randomly drawn ready fiber, or to the launcher if none is ready.
inline void change() {
  Fiber* from = current;
  if (ready_count == 0) return from->context.switch_to(launcher);
  at = draw_below(ready_count);
  Fiber* to = ready[at];
  grid.patience = 1 + static_cast<int>(draw_below(2 * job.mean));
  if (to == from) return;
  current = to;
  self = to;
  from->context.switch_to(to->context);
}

inline void leave(State state) {
  current->state = state;
  ready[at] = ready[--ready_count];
}

}  // namespace emulated
