// Stackful fibers: a thread of a block (or a core that waits for the other cores) that can be put aside and resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <vector>

#include "violation.h"

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace ascendc_emu {

#if defined(__x86_64__)
// Saves the callee-saved registers on the current stack and continues on another stack.
// Written as a weak symbol, so that several translation units may include this header.
asm(R"(
    .pushsection .text
    .weak ascendc_emu_switch_stack
    .type ascendc_emu_switch_stack, @function
ascendc_emu_switch_stack:
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
    ret
    .size ascendc_emu_switch_stack, .-ascendc_emu_switch_stack
    .popsection
)");
extern "C" void ascendc_emu_switch_stack(void** save, void* to);
#endif

/// A fiber with its own stack. `entry(argument)` runs on the first resume and must never return.
class Fiber {
public:
    using Entry = void (*)(void*);

    explicit Fiber(size_t stack_bytes) : bytes_(stack_bytes)
    {
        map_ = mmap(nullptr, bytes_ + kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map_ == MAP_FAILED ||
            mprotect(static_cast<char*>(map_) + kGuard, bytes_, PROT_READ | PROT_WRITE) != 0) {
            violation("emulator-memory", Loc::here(), "no memory for the stack of a fiber");
        }
    }
    ~Fiber() { munmap(map_, bytes_ + kGuard); }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Makes the next resume start `entry(argument)` on a fresh stack.
    void prepare(Entry entry, void* argument)
    {
        entry_ = entry;
        argument_ = argument;
#if defined(__x86_64__)
        uintptr_t top = reinterpret_cast<uintptr_t>(map_) + kGuard + bytes_;
        top &= ~uintptr_t{15};
        void** slot = reinterpret_cast<void**>(top);
        *--slot = nullptr;                                    // keeps the ABI's 16-byte alignment at entry
        *--slot = reinterpret_cast<void*>(&Fiber::trampoline); // return address of the first switch
        for (int i = 0; i < 6; ++i) *--slot = nullptr;         // callee-saved registers
        stack_ = slot;
#else
        getcontext(&context_);
        context_.uc_stack.ss_sp = static_cast<char*>(map_) + kGuard;
        context_.uc_stack.ss_size = bytes_;
        context_.uc_link = nullptr;
        makecontext(&context_, &Fiber::trampoline, 0);
#endif
    }

    /// Runs the fiber until it calls `suspend`.
    void resume()
    {
        current() = this;
#if defined(__x86_64__)
        ascendc_emu_switch_stack(&caller_, stack_);
#else
        swapcontext(&caller_context_, &context_);
#endif
    }

    /// Called on the fiber: goes back to whoever resumed it.
    void suspend()
    {
#if defined(__x86_64__)
        ascendc_emu_switch_stack(&stack_, caller_);
#else
        swapcontext(&context_, &caller_context_);
#endif
    }

    static Fiber*& current()
    {
        static thread_local Fiber* fiber = nullptr;
        return fiber;
    }

private:
    static constexpr size_t kGuard = 4096;

    static void trampoline()
    {
        Fiber* self = current();
        self->entry_(self->argument_);
        violation("emulator-internal", Loc::here(), "a fiber ran past its end");
    }

    size_t bytes_;
    void* map_ = nullptr;
    Entry entry_ = nullptr;
    void* argument_ = nullptr;
#if defined(__x86_64__)
    void* stack_ = nullptr;
    void* caller_ = nullptr;
#else
    ucontext_t context_{};
    ucontext_t caller_context_{};
#endif
};

} // namespace ascendc_emu
