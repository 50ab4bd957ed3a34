// Order of accesses to UB across the pipes of one core.
//
// Every instruction gets (pipe, sequence number). `known[q][p]` is the newest instruction of pipe p that pipe q is ordered
// after. Flags and queues carry a copy of that row from the setting pipe to the waiting pipe. An access by pipe q to a byte
// that pipe p wrote as number s is a hazard unless known[q][p] >= s; a write also has to be ordered after all readers.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "../emu/settings.h"
#include "../emu/violation.h"

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4 = 7, PIPE_MTE5 = 8, PIPE_V2 = 9, PIPE_FIX = 10 };

namespace ascendc_emu {

/// Pipes that touch UB in vector kernels; the cube pipes share one slot.
enum Slot : uint32_t { kSlotS = 0, kSlotV, kSlotMte2, kSlotMte3, kSlotCube, kSlots };

constexpr Slot slot_of(pipe_t p)
{
    return p == PIPE_S ? kSlotS : p == PIPE_V ? kSlotV : p == PIPE_MTE2 ? kSlotMte2 : p == PIPE_MTE3 ? kSlotMte3 : kSlotCube;
}

constexpr const char* slot_name(uint32_t s)
{
    constexpr const char* names[] = {"PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M"};
    return names[s];
}

using Knowledge = std::array<uint32_t, kSlots>;

class Tracker {
public:
    void reset()
    {
        // Only what the last block touched has to be forgotten.
        granules_.resize(kUbBytes / kGranule);
        std::fill(granules_.begin(), granules_.begin() + (top_ + kGranule - 1) / kGranule, Granule{});
        top_ = 0;
        split_.clear();
        free_split_.clear();
        for (auto& row : known_) row.fill(0);
        clock_.fill(0);
        for (auto& ring : places_) ring.resize(kPlaces, Loc{nullptr, 0});
    }

    /// End of the part of UB that was touched since the last reset.
    uint32_t top() const { return top_; }

    /// Issues an instruction on a pipe and returns its sequence number.
    uint32_t issue(Slot pipe, Loc loc)
    {
        const uint32_t seq = ++clock_[pipe];
        places_[pipe][seq % kPlaces] = loc;
        known_[pipe][pipe] = seq;
        // The scalar unit hands out the instructions in program order: what it has waited for is over for everyone.
        for (uint32_t p = 0; p < kSlots; ++p) {
            if (p != kSlotS && known_[kSlotS][p] > known_[pipe][p]) known_[pipe][p] = known_[kSlotS][p];
        }
        return seq;
    }

    Knowledge snapshot(Slot pipe) const
    {
        Knowledge k = known_[pipe];
        for (uint32_t p = 0; p < kSlots; ++p) {
            if (p != kSlotS && known_[kSlotS][p] > k[p]) k[p] = known_[kSlotS][p];
        }
        k[pipe] = clock_[pipe];
        return k;
    }
    void learn(Slot pipe, const Knowledge& k)
    {
        for (uint32_t p = 0; p < kSlots; ++p) {
            if (k[p] > known_[pipe][p]) known_[pipe][p] = k[p];
        }
    }
    void barrier_all()
    {
        for (auto& row : known_) row = clock_;
    }

    /// True if `pipe` is ordered after instruction `seq` of another pipe.
    bool ordered(Slot pipe, Slot other, uint32_t seq) const { return known_[pipe][other] >= seq; }
    Loc place(Slot pipe, uint32_t seq) const { return places_[pipe][seq % kPlaces]; }

    void read(uint32_t at, uint32_t bytes, Slot pipe, uint32_t seq, Loc loc) { walk<false>(at, bytes, pipe, seq, loc); }
    void write(uint32_t at, uint32_t bytes, Slot pipe, uint32_t seq, Loc loc) { walk<true>(at, bytes, pipe, seq, loc); }

    /// First byte of [at, at+bytes) that nobody has written, or `at+bytes`.
    uint32_t first_unwritten(uint32_t at, uint32_t bytes) const
    {
        for (uint32_t b = at; b < at + bytes;) {
            const Granule& g = granules_[b / kGranule];
            if (g.split < 0) {
                if (g.cell.writer == 0) return b;
                b = (b / kGranule + 1) * kGranule;
            } else {
                if (split_[static_cast<size_t>(g.split)][b % kGranule].writer == 0) return b;
                ++b;
            }
        }
        return at + bytes;
    }

    /// First block of 32 bytes in [at, end) of which no byte was written, or `end`.
    uint32_t first_unwritten_block(uint32_t at, uint32_t end) const
    {
        for (uint32_t b = at; b < end; b += kGranule) {
            const Granule& g = granules_[b / kGranule];
            bool written = g.split < 0 && g.cell.writer != 0;
            if (g.split >= 0) {
                for (const Cell& c : split_[static_cast<size_t>(g.split)]) written = written || c.writer != 0;
            }
            if (!written) return b;
        }
        return end;
    }

private:
    static constexpr uint32_t kGranule = 32;
    static constexpr uint32_t kPlaces = 4096;
    static constexpr uint32_t kSeqBits = 29;
    static constexpr uint32_t kSeqMask = (1u << kSeqBits) - 1;

    struct Cell {
        uint32_t writer = 0; // pipe << kSeqBits | sequence; 0 = never written
        std::array<uint32_t, kSlots> readers{};
    };
    struct Granule {
        Cell cell;
        int32_t split = -1; // index into split_ once its bytes differ
    };

    [[noreturn]] void hazard(bool write, bool by_reader, uint32_t byte, Slot pipe, uint32_t other, uint32_t seq, Loc loc) const
    {
        const Loc place = places_[other][seq % kPlaces];
        violation("pipe-hazard", loc,
                  "%s of UB byte %u on %s is not ordered after the %s on %s at line %d (no flag, queue operation or barrier "
                  "between them)",
                  write ? "write" : "read", byte, slot_name(pipe), by_reader ? "read" : "write", slot_name(other), place.line);
    }

    template <bool kWrite>
    void touch(Cell& c, uint32_t byte, Slot pipe, uint32_t seq, Loc loc)
    {
        if (c.writer != 0) {
            const uint32_t p = c.writer >> kSeqBits;
            const uint32_t s = c.writer & kSeqMask;
            if (p != pipe && known_[pipe][p] < s) hazard(kWrite, false, byte, pipe, p, s, loc);
        }
        if (kWrite) {
            for (uint32_t p = 0; p < kSlots; ++p) {
                if (p != pipe && c.readers[p] > known_[pipe][p]) hazard(true, true, byte, pipe, p, c.readers[p], loc);
            }
            c.writer = static_cast<uint32_t>(pipe) << kSeqBits | (seq & kSeqMask);
            c.readers.fill(0);
        } else {
            c.readers[pipe] = seq;
        }
    }

    template <bool kWrite>
    void walk(uint32_t at, uint32_t bytes, Slot pipe, uint32_t seq, Loc loc)
    {
        const uint32_t end = at + bytes;
        if (end > top_) top_ = end;
        for (uint32_t b = at; b < end;) {
            Granule& g = granules_[b / kGranule];
            const uint32_t first = b % kGranule;
            const uint32_t stop = end - (b - first) < kGranule ? end - (b - first) : kGranule;
            const bool whole = first == 0 && stop == kGranule;
            if (whole && g.split < 0) {
                touch<kWrite>(g.cell, b, pipe, seq, loc);
            } else {
                if (g.split < 0) g.split = split(g.cell);
                auto& cells = split_[static_cast<size_t>(g.split)];
                for (uint32_t i = first; i < stop; ++i) touch<kWrite>(cells[i], b - first + i, pipe, seq, loc);
                if (whole && kWrite) {
                    g.cell = cells[0];
                    free_split_.push_back(g.split);
                    g.split = -1;
                }
            }
            b += stop - first;
        }
    }

    int32_t split(const Cell& c)
    {
        int32_t index;
        if (!free_split_.empty()) {
            index = free_split_.back();
            free_split_.pop_back();
        } else {
            index = static_cast<int32_t>(split_.size());
            split_.emplace_back();
        }
        split_[static_cast<size_t>(index)].fill(c);
        return index;
    }

    std::vector<Granule> granules_;
    std::vector<std::array<Cell, kGranule>> split_;
    std::vector<int32_t> free_split_;
    uint32_t top_ = 0;
    std::array<Knowledge, kSlots> known_{};
    Knowledge clock_{};
    std::array<std::vector<Loc>, kSlots> places_;
};

} // namespace ascendc_emu
