// Enumerations, parameter structs and keywords of the SIMD API, with the vendor's names and defaults.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../emu/half.h"
#include "../emu/settings.h"
#include "hazard.h"

#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __host__
#define __host__
#endif
#define __vector__
#define __cube__
#define __mix__(...)
#define __inout_pipe__(...)
#define __sync_alias__
#define __sync_noalias__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __simd_callee__
#define GM_ADDR __gm__ uint8_t*

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {

using ::bfloat16_t;
using ::half;
using TEventID = int8_t;
using TTagType = int32_t;

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX,
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V, MTE2_M,
    M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX, FIX_MTE2, FIX_S,
    M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, FIX_V, V_FIX, MAX,
};

enum class RoundMode { CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceOrder : int32_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };

constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr int32_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t TOTAL_UB_SIZE = ascendc_emu::kUbUsable;

struct UnaryRepeatParams {
    UnaryRepeatParams() {}
    UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep) {}
    UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep, bool half_block)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep), halfBlock(half_block) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() {}
    BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep, uint8_t src1_rep)
        : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk), dstRepStride(dst_rep), src0RepStride(src0_rep),
          src1RepStride(src1_rep) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() {}
    BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep) : dstRepStride(dst_rep), dstBlkStride(dst_blk) {}
    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
};

struct GatherRepeatParams {
    GatherRepeatParams() {}
    GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep) : dstRepStride(dst_rep), dstBlkStride(dst_blk) {}
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
};

struct GatherMaskParams {
    GatherMaskParams() {}
    GatherMaskParams(uint8_t src0_block, uint16_t repeat, uint16_t src0_repeat, uint8_t src1_repeat)
        : src0BlockStride(src0_block), repeatTimes(repeat), src0RepeatStride(src0_repeat), src1RepeatStride(src1_repeat) {}
    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

struct CopyRepeatParams {
    CopyRepeatParams() {}
    CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_rep, uint16_t src_rep)
        : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_rep), srcRepeatSize(src_rep) {}
    uint16_t dstStride = DEFAULT_BLK_STRIDE;
    uint16_t srcStride = DEFAULT_BLK_STRIDE;
    uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
    uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

struct DataCopyParams {
    DataCopyParams() {}
    DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
        : blockCount(count), blockLen(len), srcStride(src_gap), dstStride(dst_gap) {}
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcGap = 0;
        uint16_t srcStride;
    };
    union {
        uint16_t dstGap = 0;
        uint16_t dstStride;
    };
};

struct DataCopyExtParams {
    DataCopyExtParams() {}
#if __NPU_ARCH__ == 2201
    using Stride = uint32_t;
#else
    using Stride = int64_t;
#endif
    DataCopyExtParams(uint16_t count, uint32_t len, Stride src_stride, Stride dst_stride, uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    Stride srcStride = 0;
    Stride dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() {}
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value) : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <class T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() {}
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value) : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
};

template <bool condition, class A, class B>
using Conditional = std::conditional<condition, A, B>;

/// The pipes of an event: the one that sets the flag and the one that waits for it.
struct EventPipes {
    ascendc_emu::Slot from;
    ascendc_emu::Slot to;
};

constexpr EventPipes event_pipes(HardEvent e)
{
    using namespace ascendc_emu;
    switch (e) {
        case HardEvent::MTE2_V: return {kSlotMte2, kSlotV};
        case HardEvent::V_MTE2: return {kSlotV, kSlotMte2};
        case HardEvent::MTE3_V: return {kSlotMte3, kSlotV};
        case HardEvent::V_MTE3: return {kSlotV, kSlotMte3};
        case HardEvent::V_V: return {kSlotV, kSlotV};
        case HardEvent::MTE3_MTE2: return {kSlotMte3, kSlotMte2};
        case HardEvent::MTE2_MTE3: return {kSlotMte2, kSlotMte3};
        case HardEvent::S_V: return {kSlotS, kSlotV};
        case HardEvent::V_S: return {kSlotV, kSlotS};
        case HardEvent::S_MTE2: return {kSlotS, kSlotMte2};
        case HardEvent::MTE2_S: return {kSlotMte2, kSlotS};
        case HardEvent::S_MTE3: return {kSlotS, kSlotMte3};
        case HardEvent::MTE3_S: return {kSlotMte3, kSlotS};
        case HardEvent::M_V:
        case HardEvent::MTE1_V:
        case HardEvent::FIX_V: return {kSlotCube, kSlotV};
        case HardEvent::V_M:
        case HardEvent::V_MTE1:
        case HardEvent::V_FIX: return {kSlotV, kSlotCube};
        case HardEvent::MTE3_MTE1: return {kSlotMte3, kSlotCube};
        case HardEvent::MTE1_MTE3:
        case HardEvent::FIX_MTE3: return {kSlotCube, kSlotMte3};
        case HardEvent::MTE2_MTE1:
        case HardEvent::MTE2_M:
        case HardEvent::MTE2_FIX: return {kSlotMte2, kSlotCube};
        case HardEvent::MTE1_MTE2:
        case HardEvent::M_MTE2:
        case HardEvent::FIX_MTE2: return {kSlotCube, kSlotMte2};
        case HardEvent::FIX_S:
        case HardEvent::M_S: return {kSlotCube, kSlotS};
        default: return {kSlotCube, kSlotCube};
    }
}

} // namespace AscendC
