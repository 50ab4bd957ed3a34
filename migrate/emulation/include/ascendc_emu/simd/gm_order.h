// Order of the copies of one core to and from the same device memory.
//
// A copy out (PIPE_MTE3) and a later copy in (PIPE_MTE2) or scalar read of the same bytes need a flag between them, as do a
// copy in and a later copy out. Scalar writes are not recorded, nor is anything between cores.
#pragma once

#include <map>

#include "hazard.h"

namespace ascendc_emu {

class GmOrder {
public:
    void reset()
    {
        writes_.clear();
        reads_.clear();
    }

    void read(const void* p, size_t bytes, Slot pipe, uint32_t seq, const Tracker& tracker, Loc loc)
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(p);
        check(writes_, at, at + bytes, "read", "write", pipe, tracker, loc);
        if (pipe != kSlotS) record(reads_, at, at + bytes, pipe, seq);
    }
    void write(const void* p, size_t bytes, Slot pipe, uint32_t seq, const Tracker& tracker, Loc loc)
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(p);
        check(writes_, at, at + bytes, "write", "write", pipe, tracker, loc);
        check(reads_, at, at + bytes, "write", "read", pipe, tracker, loc);
        if (pipe != kSlotS) record(writes_, at, at + bytes, pipe, seq);
    }

private:
    struct Access {
        uintptr_t end;
        Slot pipe;
        uint32_t seq;
    };
    using Accesses = std::map<uintptr_t, Access>;

    static Accesses::iterator first_overlap(Accesses& all, uintptr_t at)
    {
        auto it = all.upper_bound(at);
        if (it != all.begin()) {
            auto before = it;
            --before;
            if (before->second.end > at) return before;
        }
        return it;
    }

    static void check(Accesses& all, uintptr_t at, uintptr_t end, const char* now, const char* then, Slot pipe, const Tracker& tracker, Loc loc)
    {
        for (auto it = first_overlap(all, at); it != all.end() && it->first < end; ++it) {
            const Access& a = it->second;
            if (a.pipe != pipe && !tracker.ordered(pipe, a.pipe, a.seq)) {
                violation("gm-hazard", loc, "%s of device memory on %s is not ordered after the %s on %s at line %d", now, slot_name(pipe), then, slot_name(a.pipe), tracker.place(a.pipe, a.seq).line);
            }
        }
    }

    /// The newest access of each byte is kept.
    static void record(Accesses& all, uintptr_t at, uintptr_t end, Slot pipe, uint32_t seq)
    {
        for (auto it = first_overlap(all, at); it != all.end() && it->first < end;) {
            const uintptr_t first = it->first;
            const Access old = it->second;
            it = all.erase(it);
            if (first < at) all[first] = {at, old.pipe, old.seq};
            if (old.end > end) {
                all[end] = old;
                break;
            }
        }
        all[at] = {end, pipe, seq};
    }

    Accesses writes_;
    Accesses reads_;
};

} // namespace ascendc_emu
