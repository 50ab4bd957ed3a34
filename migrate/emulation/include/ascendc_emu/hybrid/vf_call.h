// Hybrid kernels of the 950: `__simt_vf__` and `__simd_vf__` functions that a vector kernel starts with asc_vf_call, on
// the UB of its core, and `__ubuf__` variables of vector kernels.
//
// A SIMT function runs when it is called, until all its threads have ended or do nothing but poll memory. Then the scalar
// unit goes on, as on the chip, and the function gets its turn whenever the scalar code polls memory itself or waits.
#pragma once

#include "../simd/launch.h"
#include "../simt/launch.h"
#include "../simt/types.h"

#define __simt_vf__
#define __simd_vf__
#define __callee__
#define ASC_IS_AIV (true)
#define ASC_IS_AIC (false)

namespace ascendc_emu {
namespace hybrid {

struct SimtWork final : VectorWork {
    simt::Block block;
    std::function<void()> body;

    bool step(int patience) override
    {
        for (int polled = 0; polled < patience;) {
            if (!block.advance()) return false;
            polled = block.only_polled() ? polled + 1 : 0;
        }
        return true;
    }
};

template <auto function, class... A>
void call_simt(Loc loc, dim3 threads, A... arguments)
{
    Core& c = core(loc);
    c.finish_work();
    const uint64_t count = uint64_t{threads.x} * threads.y * threads.z;
    if (count == 0 || count > 2048) {
        violation("launch-block", loc, "asc_vf_call with %u x %u x %u threads (1 to 2048 in all)", threads.x, threads.y, threads.z);
    }
    if (c.work == nullptr) c.work.reset(new SimtWork);
    SimtWork& work = static_cast<SimtWork&>(*c.work);
    work.body = [=] { function(arguments...); };
    c.raw_access = true;
    work.block.start_on(c.ub.get(), kUbBytes, work.body, dim3(c.blocks), threads, dim3(c.block, 0, 0));
    c.work_pending = work.step(kLongPatience);
}

template <auto function, class... A>
void call_simd(Loc loc, A... arguments)
{
    core(loc).finish_work();
    function(arguments...);
}

/// A loop that reads volatile memory: threads of a block let each other run, the scalar unit the vector unit.
inline void poll()
{
    if (simt::Block::current() != nullptr) {
        simt::poll_in_block();
        return;
    }
    Core* c = tl_core;
    if (c == nullptr) return;
    if (c->work_pending) {
        c->work_pending = c->work->step(kShortPatience);
    } else if (++c->polls % 64 == 0) {
        c->yielded = true;
        c->fiber->suspend();
    }
}

/// A `__ubuf__` variable of a vector kernel. Every declaration passes a lambda of its own as `tag`.
template <class T, class Tag>
T& ubuf_static(Tag, Loc loc = Loc::here())
{
    static const char key = 0;
    Core& c = core(loc);
    for (const auto& entry : c.arrays) {
        if (entry.first == &key) return *reinterpret_cast<T*>(c.ub.get() + entry.second->at);
    }
    Buffer* made = c.make_buffer(sizeof(T), &key, loc);
    c.arrays.emplace_back(&key, made);
    c.raw_access = true;
    return *reinterpret_cast<T*>(c.ub.get() + made->at);
}

/// `extern __ubuf__ T a[]`: the bytes of UB that the second launch argument asks for.
template <class T>
T* ubuf_dynamic(Loc loc = Loc::here())
{
    Core& c = core(loc);
    if (c.dynamic == nullptr) {
        if (c.dynamic_bytes == 0) violation("ub-unallocated", loc, "dynamic UB is used by a launch that asks for none (second launch argument)");
        c.dynamic = c.make_buffer(c.dynamic_bytes, nullptr, loc);
        c.raw_access = true;
    }
    return reinterpret_cast<T*>(c.ub.get() + c.dynamic->at);
}

} // namespace hybrid
} // namespace ascendc_emu

/// Starts a `__simt_vf__` function with so many threads on the UB of this core.
template <auto function, class... A>
void asc_vf_call(dim3 threads, A&&... arguments)
{
    ascendc_emu::hybrid::call_simt<function, std::decay_t<A>...>(ascendc_emu::Loc{"asc_vf_call", 0}, threads, arguments...);
}
/// Runs a `__simd_vf__` function on the vector unit.
template <auto function, class First, class... A, std::enable_if_t<!std::is_same_v<std::decay_t<First>, dim3>, int> = 0>
void asc_vf_call(First&& first, A&&... arguments)
{
    ascendc_emu::hybrid::call_simd<function, std::decay_t<First>, std::decay_t<A>...>(ascendc_emu::Loc{"asc_vf_call", 0}, first, arguments...);
}

/// Number of cores of the launch, as the bare variable that kernels also use.
struct AscendcEmuBlockNum {
    operator int64_t() const { return AscendC::GetBlockNum(AscendC::Loc{"block_num", 0}); }
};
inline constexpr AscendcEmuBlockNum block_num{};
