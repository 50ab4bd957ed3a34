// Flags, barriers, event ids and the identity of the core.
#pragma once

#include <chrono>

#include "tensor.h"

namespace AscendC {

inline int64_t GetBlockIdx(Loc loc = Loc::here()) { return ascendc_emu::core(loc).block; }
inline int64_t GetBlockNum(Loc loc = Loc::here()) { return ascendc_emu::core(loc).blocks; }
inline int64_t GetSubBlockIdx() { return 0; }
inline int64_t GetSubBlockNum() { return 1; }
inline int64_t GetTaskRation() { return 1; }
inline int64_t GetTaskRatio() { return 1; }
inline int64_t GetProgramCounter() { return 0; }
inline int64_t GetSystemCycle() { return static_cast<int64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) / 20; }
inline void InitSocState(Loc loc = Loc::here()) { ascendc_emu::core(loc); }
inline uint32_t GetUBSizeInBytes() { return ascendc_emu::kUbUsable; }
inline uint32_t GetRuntimeUBSize() { return ascendc_emu::kUbUsable; }
constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }

namespace emu {

template <class Id>
ascendc_emu::Flag& flag(HardEvent e, Id id, Loc loc)
{
    const int64_t n = static_cast<int64_t>(id);
    if (n < 0 || n >= static_cast<int64_t>(ascendc_emu::kEventIds)) {
        ascendc_emu::violation("flag-id", loc, "event id %lld is outside 0 to %u", static_cast<long long>(n), ascendc_emu::kEventIds - 1);
    }
    return ascendc_emu::core(loc).flags[static_cast<uint32_t>(e)][n];
}

} // namespace emu

/// Sets a flag on the first pipe of the event once everything issued to it so far is done.
template <HardEvent event, class Id>
void SetFlag(Id id, Loc loc = Loc::here())
{
    ascendc_emu::Flag& f = emu::flag(event, id, loc);
    if (f.set) {
        ascendc_emu::violation("flag-double-set", loc, "SetFlag of event id %d, which is still set since line %d", static_cast<int>(id), f.where.line);
    }
    f.set = true;
    f.where = loc;
    f.knowledge = ascendc_emu::core(loc).tracker.snapshot(event_pipes(event).from);
}

/// Lets the second pipe of the event wait for the flag, and clears it.
template <HardEvent event, class Id>
void WaitFlag(Id id, Loc loc = Loc::here())
{
    ascendc_emu::Flag& f = emu::flag(event, id, loc);
    if (!f.set) {
        ascendc_emu::violation("flag-wait-unset", loc, "WaitFlag of event id %d, which nobody has set (deadlock)", static_cast<int>(id));
    }
    f.set = false;
    ascendc_emu::core(loc).tracker.learn(event_pipes(event).to, f.knowledge);
}

/// Waits for the instructions of one pipe; only PIPE_ALL orders the pipes against each other.
template <pipe_t pipe>
void PipeBarrier(Loc loc = Loc::here())
{
    if (pipe == PIPE_ALL) ascendc_emu::core(loc).barrier_all();
}

/// Meets all cores of the launch. Also orders the pipes of this core.
template <bool isAIVOnly = true>
void SyncAll(Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    c.barrier_all();
    c.waiting = true;
    c.fiber->suspend();
}
/// The software form needs a work area in GM and in UB; both are checked for size only.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& workspace, const LocalTensor<int32_t>& ub, int32_t cores = 0, Loc loc = Loc::here())
{
    const int64_t n = cores > 0 ? cores : GetBlockNum(loc);
    workspace.range(0, static_cast<uint64_t>(n) * 8, "SyncAll workspace", loc);
    ub.check(0, static_cast<uint64_t>(n) * 32, "SyncAll work area", loc);
    SyncAll<isAIVOnly>(loc);
}

namespace emu {

/// A core that waits for another one by reading memory gives way from time to time.
inline void poll(Loc loc)
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    if (++c.polls % 64 == 0) {
        c.yielded = true;
        c.fiber->suspend();
    }
}

} // namespace emu

template <class T>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&, Loc loc = Loc::here())
{
    emu::poll(loc);
}
template <class T, CacheLine line, DcciDst dst = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&, Loc loc = Loc::here())
{
    emu::poll(loc);
}
inline void TrapAbort() { abort(); }

} // namespace AscendC

/// Index of the core, as the bare variable that kernels also use.
struct AscendcEmuBlockIdx {
    operator int64_t() const { return AscendC::GetBlockIdx(AscendC::Loc{"block_idx", 0}); }
};
inline constexpr AscendcEmuBlockIdx block_idx{};
inline void pipe_barrier(pipe_t p)
{
    if (p == PIPE_ALL) ascendc_emu::core(AscendC::Loc{"pipe_barrier", 0}).barrier_all();
}
inline int64_t get_block_idx() { return block_idx; }
inline int64_t get_block_num() { return AscendC::GetBlockNum(AscendC::Loc{"get_block_num", 0}); }
