// Launch of a vector kernel: blocks are spread over host threads; a block that waits in SyncAll is put aside.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "../emu/pool.h"
#include "../emu/arguments.h"
#include "core.h"

namespace ascendc_emu {

/// `<<<numBlocks, dynamicUb, stream>>>` of a vector kernel.
struct SimdConfig {
    uint32_t blocks;
    void* stream;
    uint32_t dynamic_bytes = 0;
};

template <class D>
SimdConfig simd_config(uint64_t blocks, D dynamic, void* stream)
{
    uint32_t bytes = 0; // the older form gives a null pointer here
    if constexpr (std::is_integral_v<D>) bytes = static_cast<uint32_t>(dynamic);
    return {blocks > 0xFFFFFFFFu ? 0xFFFFFFFFu : static_cast<uint32_t>(blocks), stream, bytes};
}

inline void end_of_block(Core& c, Loc loc)
{
    c.finish_work();
    for (uint32_t m = 0; m < 32; ++m) {
        if (c.mutex_held[m]) violation("flag-unpaired", loc, "mutex %u is still locked at the end of the kernel (no asc_unlock)", m);
    }
    for (uint32_t e = 0; e < kHardEvents; ++e) {
        for (uint32_t i = 0; i < kEventIds; ++i) {
            if (c.flags[e][i].set) {
                violation("flag-unpaired", c.flags[e][i].where, "flag %u set here is still set at the end of the kernel (no WaitFlag)", i);
            }
        }
    }
    for (const auto& b : c.buffers) {
        if (b->state == Buffer::State::Queued) {
            violation("queue-not-empty", loc, "a tensor was put into a queue and never taken out (EnQue without DeQue)");
        }
    }
    c.check_marks();
}

/// One launch of a vector kernel. `body(block)` runs the kernel for the core in tl_core.
class SimdRun {
public:
    SimdRun(const char* kernel, const SimdConfig& config, Loc loc, const std::function<void()>& body)
        : kernel_(kernel), blocks_(config.blocks), dynamic_bytes_(config.dynamic_bytes), loc_(loc), body_(body), workers_(blocks_ < host_threads() ? blocks_ : host_threads()),
          meeting_(workers_)
    {
    }

    void run()
    {
        WorkerPool::get().run(workers_, [this](unsigned w) { work(w); });
        MemoryTable::get().check_all_canaries(loc_);
    }

private:
    static constexpr size_t kStack = size_t{1} << 20;

    struct Task {
        SimdRun* run;
        std::unique_ptr<Core> core{new Core};
        std::unique_ptr<Fiber> fiber{new Fiber(kStack)};
    };
    using Tasks = std::vector<std::unique_ptr<Task>>;

    static Tasks& idle()
    {
        static thread_local Tasks tasks;
        return tasks;
    }

    static void enter(void* argument)
    {
        Task* t = static_cast<Task*>(argument);
        t->run->body_();
        end_of_block(*t->core, t->run->loc_);
        t->core->finished = true;
        t->fiber->suspend();
    }

    void resume(Task& t)
    {
        const Where before = tl_where;
        tl_core = t.core.get();
        tl_where = {kernel_, static_cast<int>(t.core->block)};
        t.core->waiting = t.core->yielded = false;
        t.fiber->resume();
        tl_core = nullptr;
        tl_where = before;
    }

    void work(unsigned worker)
    {
        Tasks waiting;
        uint64_t finished = 0;
        for (uint32_t block = worker; block < blocks_; block += workers_) {
            std::unique_ptr<Task> t;
            if (!idle().empty()) {
                t = std::move(idle().back());
                idle().pop_back();
            } else {
                t.reset(new Task);
            }
            t->run = this;
            t->core->begin(block, blocks_);
            t->core->dynamic_bytes = dynamic_bytes_;
            t->core->fiber = t->fiber.get();
            t->fiber->prepare(&SimdRun::enter, t.get());
            resume(*t);
            settle(std::move(t), waiting, finished);
        }
        for (;;) {
            // Cores that poll memory go on until they meet a SyncAll or end.
            for (bool polling = true; polling;) {
                polling = false;
                Tasks again;
                again.swap(waiting);
                for (auto& t : again) {
                    if (t->core->yielded) {
                        polling = true;
                        resume(*t);
                    }
                    settle(std::move(t), waiting, finished);
                }
            }
            // Everybody is in SyncAll or has ended: either all blocks wait, or none.
            const uint64_t sum = meeting_.arrive(waiting.size() << 32 | finished);
            const uint64_t all_waiting = sum >> 32;
            const uint64_t all_finished = sum & 0xFFFFFFFFu;
            if (all_waiting == 0) break;
            if (all_waiting != blocks_ || blocks_ > core_count()) {
                violation("sync-all", loc_, "SyncAll: %llu of %u cores wait, %llu have ended, the chip runs %u at once (deadlock)",
                          static_cast<unsigned long long>(all_waiting), blocks_, static_cast<unsigned long long>(all_finished),
                          core_count());
            }
            Tasks again;
            again.swap(waiting);
            for (auto& t : again) {
                resume(*t);
                settle(std::move(t), waiting, finished);
            }
        }
    }

    static void settle(std::unique_ptr<Task> t, Tasks& waiting, uint64_t& finished)
    {
        if (t->core->finished) {
            ++finished;
            idle().push_back(std::move(t));
        } else {
            waiting.push_back(std::move(t));
        }
    }

    const char* kernel_;
    uint32_t blocks_;
    uint32_t dynamic_bytes_;
    Loc loc_;
    const std::function<void()>& body_;
    unsigned workers_;
    Meeting meeting_;
};

/// Runs `kernel(arguments...)` on every core of the launch; returns when all have ended.
template <class K, class... A>
void simd_launch(const char* name, K kernel, Loc loc, SimdConfig config, A&&... arguments)
{
    Stream& stream = launch_stream(name, config.stream, loc);
    if (config.blocks == 0 || config.blocks > 65535) {
        violation("launch-grid", loc, "kernel %s is launched with %u blocks (1 to 65535 are allowed)", name, config.blocks);
    }
    const std::tuple<std::decay_t<A>...> copies(std::forward<A>(arguments)...);
    const auto again = [=](void* to) {
        std::apply([&](const auto&... a) { simd_launch(name, kernel, loc, {config.blocks, to, config.dynamic_bytes}, a...); }, copies);
    };
    if (stream.captured(again)) return;
    std::apply([&](const auto&... a) { (mark_argument(stream, a), ...); }, copies);
    stream.busy = true;
    if (skip_kernels()) return;
    const std::function<void()> body = [&] { std::apply(kernel, copies); };
    SimdRun(name, config, loc, body).run();
}

} // namespace ascendc_emu
