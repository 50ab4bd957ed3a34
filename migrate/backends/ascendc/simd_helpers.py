"""C++ helpers that 910B kernels use, written once a file."""

from __future__ import annotations

TILES = """\
// Runs of elements between global memory and the unified buffer.
namespace tiles {

// The number of whole elements of n that lie in [0, most].
__aicore__ inline int Clamp(int64_t n, int most)
{
    return n < 0 ? 0 : n < most ? (int)n : most;
}

// count rounded up to whole vector registers of 256 bytes.
template <typename Element>
__aicore__ inline uint32_t Registers(int count)
{
    constexpr uint32_t lanes = 256 / sizeof(Element);
    return ((uint32_t)count + lanes - 1) / lanes * lanes;
}

// count rounded up to whole blocks of 32 bytes.
template <typename Element>
__aicore__ inline uint32_t Blocks(int count)
{
    constexpr uint32_t lanes = 32 / sizeof(Element);
    return ((uint32_t)count + lanes - 1) / lanes * lanes;
}

// Lanes of one run: as many as fit, fewer when that gives every core some. A multiple of granule.
__aicore__ inline int RunLength(int lanes, int64_t rows, int most, int granule)
{
    const int64_t cores = AscendC::GetBlockNum();
    const int64_t pieces = rows < cores ? (cores + rows - 1) / rows : 1;
    const int64_t share = (lanes + pieces - 1) / pieces;
    const int64_t whole = (share + granule - 1) / granule * granule;
    return whole < most ? (int)whole : most;
}

template <typename Element>
__aicore__ inline void Load(
    const AscendC::LocalTensor<Element>& tile, __gm__ const Element* from, int count)
{
    AscendC::GlobalTensor<Element> memory;
    memory.SetGlobalBuffer((__gm__ Element*)from, count);
    const AscendC::DataCopyExtParams shape{1, (uint32_t)(count * sizeof(Element)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<Element> unpadded{false, 0, 0, 0};
    AscendC::DataCopyPad(tile, memory, shape, unpadded);
}

template <typename Element>
__aicore__ inline void Store(
    __gm__ Element* to, const AscendC::LocalTensor<Element>& tile, int count)
{
    AscendC::GlobalTensor<Element> memory;
    memory.SetGlobalBuffer(to, count);
    const AscendC::DataCopyExtParams shape{1, (uint32_t)(count * sizeof(Element)), 0, 0, 0};
    AscendC::DataCopyPad(memory, tile, shape);
}

// Lets the second pipe of the event wait for what the first has been given so far.
template <AscendC::HardEvent event>
__aicore__ inline void Wait()
{
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}

} // namespace tiles
"""
"""Copies with exact tails, rounding of counts, waiting between pipes."""

ELEMENTS = """\
// Single elements of global memory. They go past the data cache, which would write whole lines of
// 64 bytes back and so undo what another core stored beside them.
namespace elements {

template <uint32_t bytes>
struct Word;
template <>
struct Word<1> { using type = uint8_t; };
template <>
struct Word<2> { using type = uint16_t; };
template <>
struct Word<4> { using type = uint32_t; };
template <>
struct Word<8> { using type = uint64_t; };

// Structures and vectors go in pieces as long as their alignment.
template <typename Element>
constexpr uint32_t piece = sizeof(Element) <= 8 && (sizeof(Element) & (sizeof(Element) - 1)) == 0
    ? sizeof(Element) : alignof(Element) < 8 ? alignof(Element) : 8;

template <typename Element>
__aicore__ inline void Store(__gm__ Element* to, Element value)
{
    using Bits = typename Word<piece<Element>>::type;
    for (uint32_t i = 0; i < sizeof(Element) / sizeof(Bits); ++i) {
        AscendC::WriteGmByPassDCache<Bits>((__gm__ Bits*)to + i, ((Bits*)&value)[i]);
    }
}

// Sees what this core has stored before.
template <typename Element>
__aicore__ inline Element Load(__gm__ const Element* from)
{
    using Bits = typename Word<piece<Element>>::type;
    AscendC::DataSyncBarrier<AscendC::MemDsbT::DDR>();
    Element value;
    for (uint32_t i = 0; i < sizeof(Element) / sizeof(Bits); ++i) {
        ((Bits*)&value)[i] = AscendC::ReadGmByPassDCache<Bits>((__gm__ Bits*)from + i);
    }
    return value;
}

} // namespace elements
"""
"""Stores of single elements that leave their neighbours alone, and loads that see them."""
