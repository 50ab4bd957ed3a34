// The shared memory of a block: its variables, the marks behind them, and memory that a vector core lends.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "../emu/settings.h"
#include "../emu/violation.h"

namespace ascendc_emu {
namespace simt {

/// Shared memory of a block: static variables in the order in which they are first met, then the dynamic part.
struct Shared {
    struct Variable {
        const void* key;
        uint32_t at;
        uint32_t bytes;
        Loc where;
    };
    /// Marks behind each variable, which no thread may overwrite; they take no part of the chip's memory.
    static constexpr uint32_t kMark = 64;
    static constexpr uint32_t kMostVariables = 256;
    static constexpr uint8_t kMarkByte = 0xC5;

    std::unique_ptr<uint8_t[]> bytes{new uint8_t[kSimtUbUsable + kMark * (kMostVariables + 2)]};
    std::vector<Variable> variables;
    uint32_t dynamic_bytes = 0;
    uint32_t top = 0;  // bytes of the chip's memory in use
    uint32_t next = 0; // where the next variable goes, marks included

    /// Memory of a vector core, which a block that it starts works on; its owner checks it.
    void lend(uint8_t* memory, uint32_t size)
    {
        variables.clear();
        lent = memory;
        dynamic_bytes = top = next = size;
    }
    void begin(uint32_t dynamic)
    {
        lent = nullptr;
        variables.clear();
        dynamic_bytes = dynamic;
        top = (dynamic + 15) / 16 * 16;
        next = 0;
        poison(base(), dynamic);
        mark(dynamic);
    }
    /// Puts a mark behind the variable that ends at `end`.
    void mark(uint32_t end)
    {
        const uint32_t stop = (end + kMark - 1) / kMark * kMark + kMark;
        memset(base() + end, kMarkByte, stop - end);
        next = stop;
    }
    void check(uint32_t end, Loc where, const char* what)
    {
        for (uint32_t at = end; at < (end + kMark - 1) / kMark * kMark + kMark; ++at) {
            if (base()[at] != kMarkByte) violation("ub-out-of-bounds", where, "shared memory was written %u bytes past the end of %s", at - end, what);
        }
    }
    void check_all()
    {
        check(dynamic_bytes, Loc{"dynamic shared memory", 0}, "the dynamic part (third launch argument)");
        for (const Variable& v : variables) check(v.at + v.bytes, v.where, "the variable declared here");
    }

    uint8_t* lent = nullptr;

    uint8_t* base() { return lent != nullptr ? lent : reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(bytes.get()) + 63) & ~uintptr_t{63}); }
};

} // namespace simt
} // namespace ascendc_emu
