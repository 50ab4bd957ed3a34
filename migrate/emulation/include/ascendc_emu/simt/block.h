// Runs the threads of one block on one host thread.
//
// A thread runs straight through until it meets a barrier or a warp function; only then it keeps a fiber and the next
// thread gets another one. Warps run one after the other, so at most 32 fibers are held unless the kernel has barriers.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "../emu/fiber.h"
#include "../emu/memory.h"
#include "shared.h"
#include "types.h"

// Identity of the running thread; plain variables, as device code expects them.
inline thread_local dim3 threadIdx;
inline thread_local dim3 blockIdx;
inline thread_local dim3 blockDim;
inline thread_local dim3 gridDim;
inline constexpr int32_t warpSize = 32;

namespace ascendc_emu {
namespace simt {

constexpr uint32_t kWarp = 32;
constexpr size_t kStack = 128 * 1024;

/// A warp function that a lane waits in. `resolve` computes the results of all lanes of one group at once.
struct WarpCall {
    using Lanes = WarpCall* const*; // 32 entries, null for a lane that does not take part
    void (*resolve)(Lanes lanes);
    Loc site;
    uint64_t value = 0;
    uint64_t result = 0;
    int64_t argument = 0;
    int32_t width = 32;
    uint32_t lane = 0;
    uint32_t mask = 0;
};

enum class State : uint8_t { NotStarted, Ready, Yielded, InWarpCall, AtBarrier, Done };

struct Thread {
    State state = State::NotStarted;
    Fiber* fiber = nullptr;
    WarpCall* call = nullptr;
    Loc barrier{nullptr, 0};
    uint32_t polls = 0;
};

class Block {
public:
    /// Runs one block; `body` is the kernel with its arguments.
    void run(const std::function<void()>& body, dim3 grid, dim3 block, dim3 index, uint32_t dynamic_bytes)
    {
        shared_.begin(dynamic_bytes);
        start(body, grid, block, index);
        while (advance()) {
        }
        shared_.check_all();
    }
    /// The same in parts, on shared memory that someone else owns: `advance` after `start` until it returns false.
    void start_on(uint8_t* lent, uint32_t bytes, const std::function<void()>& body, dim3 grid, dim3 block, dim3 index)
    {
        shared_.lend(lent, bytes);
        start(body, grid, block, index);
    }
    /// Runs every thread until it waits for others; false when all have ended.
    bool advance()
    {
        blockDim = block_dim_;
        gridDim = grid_dim_;
        blockIdx = index_;
        Block* outer = current();
        current() = this;
        for (uint32_t w = 0; w * kWarp < count_; ++w) run_warp(w);
        const bool more = next_phase();
        current() = outer;
        return more;
    }
    /// Whether the last `advance` got no further than threads that poll memory.
    bool only_polled() const { return only_polled_; }

    static Block*& current()
    {
        static thread_local Block* block = nullptr;
        return block;
    }

    uint32_t thread() const { return now_; }
    uint32_t lane() const { return now_ % kWarp; }
    uint32_t threads() const { return count_; }
    Shared& shared() { return shared_; }

    void barrier(Loc loc)
    {
        Thread& t = threads_[now_];
        t.barrier = loc;
        t.state = State::AtBarrier;
        suspend(t);
    }
    /// Waits until the group of lanes that make this call is complete, and lets it be resolved.
    void warp_call(WarpCall& call)
    {
        Thread& t = threads_[now_];
        call.lane = now_ % kWarp;
        t.call = &call;
        t.state = State::InWarpCall;
        suspend(t);
    }
    /// Lets other threads run; used by loops that spin on memory.
    void yield()
    {
        Thread& t = threads_[now_];
        t.state = State::Yielded;
        suspend(t);
    }
    /// In loops that read volatile memory. Lanes of a warp poll alike, so they give way at the same place.
    void poll()
    {
        if (++threads_[now_].polls % 8 == 0) yield();
    }
    uint8_t* static_variable(const void* key, size_t bytes, size_t align, Loc loc)
    {
        for (const Shared::Variable& v : shared_.variables) {
            if (v.key == key) return shared_.base() + v.at;
        }
        const uint64_t top = (shared_.top + align - 1) / align * align + bytes;
        if (top > kSimtUbUsable || shared_.variables.size() >= Shared::kMostVariables) {
            violation("ub-capacity", loc, "shared memory of %llu bytes exceeds the %u that a block may use", static_cast<unsigned long long>(top), kSimtUbUsable);
        }
        const uint32_t at = shared_.next;
        shared_.top = static_cast<uint32_t>(top);
        shared_.variables.push_back({key, at, static_cast<uint32_t>(bytes), loc});
        poison(shared_.base() + at, bytes);
        shared_.mark(static_cast<uint32_t>(at + bytes));
        return shared_.base() + at;
    }

private:
    void start(const std::function<void()>& body, dim3 grid, dim3 block, dim3 index)
    {
        body_ = &body;
        count_ = block.x * block.y * block.z;
        block_dim_ = block;
        grid_dim_ = grid;
        index_ = index;
        done_ = 0;
        threads_.assign(count_, Thread{});
    }

    static void enter(void* self) { static_cast<Block*>(self)->loop(); }

    /// Body of a fiber: takes unstarted threads of the warp until none is left or one of them has to wait.
    void loop()
    {
        for (;;) {
            while (fresh_ < fresh_end_) {
                const uint32_t id = fresh_++;
                threads_[id].state = State::Ready;
                threads_[id].fiber = Fiber::current();
                enter_thread(id);
                (*body_)();
                threads_[now_].state = State::Done;
                threads_[now_].fiber = nullptr;
            }
            free_.push_back(Fiber::current());
            Fiber::current()->suspend();
        }
    }

    void enter_thread(uint32_t id)
    {
        now_ = id;
        threadIdx.x = id % block_dim_.x;
        threadIdx.y = id / block_dim_.x % block_dim_.y;
        threadIdx.z = id / (block_dim_.x * block_dim_.y);
    }

    void suspend(Thread& t)
    {
        Fiber* f = t.fiber;
        f->suspend();
    }

    void resume(uint32_t id)
    {
        threads_[id].state = State::Ready;
        enter_thread(id);
        threads_[id].fiber->resume();
    }

    Fiber* take_fiber()
    {
        if (!free_.empty()) {
            Fiber* f = free_.back();
            free_.pop_back();
            return f;
        }
        owned_.emplace_back(new Fiber(kStack));
        Fiber* f = owned_.back().get();
        f->prepare(&Block::enter, this);
        return f;
    }

    void run_warp(uint32_t w)
    {
        const uint32_t first = w * kWarp;
        const uint32_t end = std::min(first + kWarp, count_);
        if (threads_[first].state == State::NotStarted) {
            fresh_ = first;
            fresh_end_ = end;
            while (fresh_ < fresh_end_) take_fiber()->resume();
        }
        for (;;) {
            bool ran = false;
            for (uint32_t id = first; id < end; ++id) {
                if (threads_[id].state == State::Ready) {
                    resume(id);
                    ran = true;
                }
            }
            if (!ran && !resolve_call(first, end)) return;
        }
    }

    /// Completes one group of lanes that wait in the same warp function; the group written first goes first.
    bool resolve_call(uint32_t first, uint32_t end)
    {
        const WarpCall* chosen = nullptr;
        for (uint32_t id = first; id < end; ++id) {
            const Thread& t = threads_[id];
            if (t.state == State::Yielded) return false; // may still join; it runs again in the next round
            if (t.state == State::InWarpCall && (chosen == nullptr || t.call->site.line < chosen->site.line)) chosen = t.call;
        }
        if (chosen == nullptr) return false;
        WarpCall* lanes[kWarp] = {};
        uint32_t mask = 0;
        for (uint32_t id = first; id < end; ++id) {
            const Thread& t = threads_[id];
            if (t.state == State::InWarpCall && t.call->resolve == chosen->resolve && t.call->site.line == chosen->site.line) {
                lanes[id - first] = t.call;
                mask |= 1u << (id - first);
            }
        }
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] != nullptr) lanes[l]->mask = mask;
        }
        chosen->resolve(lanes);
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] != nullptr) threads_[first + l].state = State::Ready;
        }
        return true;
    }

    /// After all warps came to rest: releases a barrier or the yielded threads. False when the block has ended.
    bool next_phase()
    {
        uint32_t done = 0;
        uint32_t waiting = 0;
        bool yielded = false;
        const Thread* first = nullptr;
        for (Thread& t : threads_) {
            if (t.state == State::Done) ++done;
            if (t.state == State::Yielded) {
                t.state = State::Ready;
                yielded = true;
            }
            if (t.state == State::AtBarrier) {
                ++waiting;
                if (first == nullptr) first = &t;
                if (t.barrier.line != first->barrier.line) {
                    violation("barrier-divergence", t.barrier, "threads of one block wait at different barriers (the other one is at line %d)", first->barrier.line);
                }
            }
        }
        only_polled_ = yielded && done == done_;
        done_ = done;
        if (yielded) return true;
        if (waiting == 0) return false;
        if (done != 0) {
            violation("barrier-missing-thread", first->barrier, "%u of %u threads wait at the barrier, %u have ended without reaching it (deadlock)", waiting, count_, done);
        }
        for (Thread& t : threads_) t.state = State::Ready;
        return true;
    }

    const std::function<void()>* body_ = nullptr;
    std::vector<Thread> threads_;
    std::vector<std::unique_ptr<Fiber>> owned_;
    std::vector<Fiber*> free_;
    Shared shared_;
    dim3 block_dim_;
    dim3 grid_dim_;
    dim3 index_;
    uint32_t done_ = 0;
    bool only_polled_ = false;
    uint32_t count_ = 0;
    uint32_t now_ = 0;
    uint32_t fresh_ = 0;
    uint32_t fresh_end_ = 0;
};

/// The block of the calling device code; a call from host code breaks a rule.
inline Block& block(Loc loc)
{
    Block* b = Block::current();
    if (b == nullptr) violation("device-api-on-host", loc, "a device function was called outside a kernel");
    return *b;
}

/// In loops of device code that read volatile memory: lets the thread that is waited for run.
inline void poll_in_block()
{
    if (Block* b = Block::current()) b->poll(); // none where the host calls a function of both
}

/// The block runner of this host thread; its shared memory stays where it is.
inline Block& worker_block()
{
    static thread_local Block runner;
    return runner;
}
/// Dynamic shared memory declared outside functions.
template <class T>
T* worker_dynamic()
{
    return reinterpret_cast<T*>(worker_block().shared().base());
}

/// A `__ubuf__` variable of the running block. Every declaration passes a lambda of its own as `tag`.
template <class T, class Tag>
T& ubuf_static(Tag, Loc loc = Loc::here())
{
    static const char key = 0;
    return *reinterpret_cast<T*>(block(loc).static_variable(&key, sizeof(T), alignof(T) > 16 ? alignof(T) : 16, loc));
}

/// The dynamic shared memory of the running block; its size is the third launch argument.
template <class T>
T* ubuf_dynamic(Loc loc = Loc::here())
{
    return reinterpret_cast<T*>(block(loc).shared().base());
}

/// At the start of a kernel: the launch may not have more threads than `__launch_bounds__` (1024 without it).
inline void check_bound(uint64_t bound, Loc loc = Loc::here())
{
    const uint64_t threads = uint64_t{blockDim.x} * blockDim.y * blockDim.z;
    if (threads > bound) {
        violation("launch-bounds", loc, "%llu threads per block, the kernel is built for %llu (__launch_bounds__)", static_cast<unsigned long long>(threads), static_cast<unsigned long long>(bound));
    }
}

} // namespace simt
} // namespace ascendc_emu
