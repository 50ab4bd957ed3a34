// Cooperative groups of SIMT device code: the block, tiles of up to a warp, and the lanes that are active together.
#pragma once

#include "asc_simt.h"

namespace cooperative_groups {

/// All threads of the block.
class thread_block {
public:
    static void sync(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { asc_syncthreads(loc); }
    static unsigned int thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
    static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned int num_threads() { return size(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

/// `Size` neighbouring threads of a warp; Size is a power of two up to 32.
template <unsigned int Size, class Parent = thread_block>
class thread_block_tile {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "ascendc_emu: tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
    void sync(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { asc_activemask(loc); }
    static constexpr unsigned int size() { return Size; }
    static constexpr unsigned int num_threads() { return Size; }
    unsigned int thread_rank() const { return thread_block::thread_rank() % Size; }
    unsigned int meta_group_rank() const { return thread_block::thread_rank() / Size; }
    unsigned int meta_group_size() const { return (thread_block::size() + Size - 1) / Size; }
    template <class T>
    T shfl(T value, int rank, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_shfl(value, rank, static_cast<int32_t>(Size), loc);
    }
    template <class T>
    T shfl_up(T value, unsigned int delta, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_shfl_up(value, delta, static_cast<int32_t>(Size), loc);
    }
    template <class T>
    T shfl_down(T value, unsigned int delta, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_shfl_down(value, delta, static_cast<int32_t>(Size), loc);
    }
    template <class T>
    T shfl_xor(T value, unsigned int mask, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_shfl_xor(value, static_cast<int32_t>(mask), static_cast<int32_t>(Size), loc);
    }
    unsigned int ballot(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_ballot(predicate, loc) >> first_lane() & lanes();
    }
    int any(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { return ballot(predicate, loc) != 0; }
    int all(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { return ballot(!predicate, loc) == 0; }

private:
    static unsigned int first_lane() { return static_cast<unsigned int>(laneid()) / Size * Size; }
    static constexpr unsigned int lanes() { return Size == 32 ? ~0u : (1u << Size) - 1; }
};

template <unsigned int Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&)
{
    return {};
}

/// The lanes of a warp that came here together.
class coalesced_group {
public:
    explicit coalesced_group(unsigned int mask) : mask_(mask) {}
    void sync(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { asc_activemask(loc); }
    unsigned long long size() const { return static_cast<unsigned long long>(__builtin_popcount(mask_)); }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const { return static_cast<unsigned long long>(__builtin_popcount(mask_ & static_cast<unsigned>(lanemask_lt()))); }
    template <class T>
    T shfl(T value, int rank, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        return asc_shfl(value, lane_of(rank), 32, loc);
    }
    template <class T>
    T shfl_up(T value, unsigned int delta, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        const int rank = static_cast<int>(thread_rank());
        return asc_shfl(value, lane_of(rank >= static_cast<int>(delta) ? rank - static_cast<int>(delta) : rank), 32, loc);
    }
    template <class T>
    T shfl_down(T value, unsigned int delta, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        const int rank = static_cast<int>(thread_rank());
        const int from = rank + static_cast<int>(delta);
        return asc_shfl(value, lane_of(from < static_cast<int>(size()) ? from : rank), 32, loc);
    }
    unsigned int ballot(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const
    {
        const unsigned int set = asc_ballot(predicate, loc) & mask_;
        unsigned int packed = 0;
        unsigned int at = 0;
        for (unsigned int lane = 0; lane < 32; ++lane) {
            if ((mask_ >> lane & 1) != 0) packed |= (set >> lane & 1) << at++;
        }
        return packed;
    }
    int any(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { return ballot(predicate, loc) != 0; }
    int all(int predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) const { return ballot(!predicate, loc) == 0; }

private:
    int lane_of(int rank) const
    {
        for (int lane = 0; lane < 32; ++lane) {
            if ((mask_ >> lane & 1) != 0 && rank-- == 0) return lane;
        }
        return laneid();
    }
    unsigned int mask_;
};

inline coalesced_group coalesced_threads(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { return coalesced_group(asc_activemask(loc)); }

} // namespace cooperative_groups
