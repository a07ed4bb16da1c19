// fiber.hpp - execution contexts with their own stacks, and the switch from one to another.
//
// A switch takes a dozen instructions on x86-64 and uses ucontext elsewhere. The sanitizer that the
// kernels are compiled with (WARPATH_SANITIZED_THREAD or _ADDRESS) is notified of each switch.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#ifndef __x86_64__
#include <ucontext.h>
#endif

extern "C" {
#ifdef WARPATH_SANITIZED_THREAD
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_set_fiber_name(void* fiber, const char* name);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#endif
#ifdef WARPATH_SANITIZED_ADDRESS
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, size_t* size);
void __asan_poison_memory_region(const void* begin, size_t size);
void __asan_unpoison_memory_region(const void* begin, size_t size);
#endif
#ifdef __x86_64__
void warpath_swap_stacks(void** from, void* to) __attribute__((visibility("hidden")));
#endif
}

#ifdef __x86_64__
// Saves the registers that a function must preserve on the old stack, loads them from the new one
// and continues there. It jumps instead of returning, since no call preceded the return.
asm(R"(
.text
.hidden warpath_swap_stacks
.globl warpath_swap_stacks
.type warpath_swap_stacks,@function
warpath_swap_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size warpath_swap_stacks,.-warpath_swap_stacks
)");
#endif

namespace emulated {

/// Everything before release(x) happens before everything after acquire(x).
inline void release([[maybe_unused]] void* address) {
#ifdef WARPATH_SANITIZED_THREAD
  __tsan_release(address);
#endif
}
inline void acquire([[maybe_unused]] void* address) {
#ifdef WARPATH_SANITIZED_THREAD
  __tsan_acquire(address);
#endif
}
inline void forbid([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t size) {
#ifdef WARPATH_SANITIZED_ADDRESS
  __asan_poison_memory_region(begin, size);
#endif
}
inline void allow([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t size) {
#ifdef WARPATH_SANITIZED_ADDRESS
  __asan_unpoison_memory_region(begin, size);
#endif
}

/// A context of execution: the original stack of the thread, or a stack of its own.
class Context {
 public:
#if defined(WARPATH_SANITIZED_THREAD) || defined(WARPATH_SANITIZED_ADDRESS)
  static constexpr std::size_t kStack =
      1024 * 1024;  // room for a report, which is written on the stack that it describes
#else
  static constexpr std::size_t kStack = 64 * 1024;
#endif
  static constexpr std::size_t kPage = 4096;

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Resets the context to call body(), which never returns, at the next switch to it. `number`
  /// shifts the start of the used part of the stack: otherwise all stacks would compete for the
  /// same lines of the caches.
  void begin(void (*body)(), unsigned number) {
    if (stack_ == nullptr) make_stack();
    allow(stack_, kStack);
    const std::size_t size = kStack - number % 12 * 320;
#ifdef __x86_64__
    // As after a call: the stack pointer is 8 below a multiple of 16.
    auto* top = reinterpret_cast<std::uintptr_t*>(stack_ + size);
    *--top = 0;
    *--top = reinterpret_cast<std::uintptr_t>(body);
    for (int i = 0; i < 6; ++i) *--top = 0;
    pointer_ = top;
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = size;
    context_.uc_link = nullptr;
    makecontext(&context_, body, 0);
#endif
#ifdef WARPATH_SANITIZED_THREAD
    if (tsan_ != nullptr) __tsan_destroy_fiber(tsan_);
    tsan_ = __tsan_create_fiber(0);
    named_[0] = named_[1] = ~0u;
#endif
#ifdef WARPATH_SANITIZED_ADDRESS
    fake_ = nullptr;
#endif
  }

  /// Switches from this context, which must be the running one, to another; returns when another
  /// context switches back.
  void switch_to(Context& other) {
#ifdef WARPATH_SANITIZED_THREAD
    if (stack_ == nullptr) tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(other.tsan_, 1);  // 1: the switch itself orders no accesses
#endif
#ifdef WARPATH_SANITIZED_ADDRESS
    left = this;
    __sanitizer_start_switch_fiber(&fake_, other.bottom_, other.size_);
#endif
#ifdef __x86_64__
    warpath_swap_stacks(&pointer_, other.pointer_);
#else
    swapcontext(&context_, &other.context_);
#endif
    arrived();
  }

  /// Sets the name used in ThreadSanitizer's reports.
  void name([[maybe_unused]] unsigned block, [[maybe_unused]] unsigned thread) {
#ifdef WARPATH_SANITIZED_THREAD
    if (block == named_[0] && thread == named_[1]) return;
    named_[0] = block;
    named_[1] = thread;
    char name[64];
    std::snprintf(name, sizeof name, "block %u, thread %u", block, thread);
    __tsan_set_fiber_name(tsan_, name);
#endif
  }

  /// Must be the first call in a body.
  void arrived() {
#ifdef WARPATH_SANITIZED_ADDRESS
    const void* bottom = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(fake_, &bottom, &size);
    if (left->stack_ == nullptr) {  // the original stack, whose address is learnt here
      left->bottom_ = bottom;
      left->size_ = size;
    }
#endif
  }

 private:
  void make_stack() {
    // The lowest page stays inaccessible, so that a kernel with too large local arrays stops there.
    void* memory = mmap(nullptr, kStack + kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, kPage, PROT_NONE);
    stack_ = static_cast<char*>(memory) + kPage;
#ifdef WARPATH_SANITIZED_ADDRESS
    bottom_ = stack_;
    size_ = kStack;
#endif
  }

  char* stack_ = nullptr;
  void* pointer_ = nullptr;
#ifndef __x86_64__
  ucontext_t context_;
#endif
#ifdef WARPATH_SANITIZED_THREAD
  void* tsan_ = nullptr;
  unsigned named_[2] = {};
#endif
#ifdef WARPATH_SANITIZED_ADDRESS
  static inline Context* left = nullptr;
  void* fake_ = nullptr;
  const void* bottom_ = nullptr;
  size_t size_ = 0;
#endif
};

}  // namespace emulated
