// One vector core while it runs one block: its UB, order of accesses, flags, mask register and atomic mode.
#pragma once

#include <cstring>
#include <memory>

#include "../emu/fiber.h"
#include "../emu/memory.h"
#include "gm_order.h"

namespace ascendc_emu {

enum class AtomicMode : uint8_t { None, Add, Max, Min };
enum class AtomicType : uint8_t { None, F32, F16, BF16, I32, I16, I8 };

constexpr uint32_t kEventIds = 8;
constexpr uint32_t kHardEvents = 64;

struct Flag {
    bool set = false;
    Loc where{nullptr, 0};
    Knowledge knowledge{};
};

/// A queue buffer or a TBuf: a range of UB with its place in the queue discipline.
struct Buffer {
    enum class State : uint8_t { Free, Allocated, Queued, Dequeued, Plain };
    uint32_t at = 0;
    uint32_t bytes = 0;
    State state = State::Plain;
    uint32_t generation = 0; // counts allocations, so that a stale LocalTensor is recognised
    const void* owner = nullptr;
    Knowledge handed{};
    Loc made{nullptr, 0};
    bool marked = false; // marks stand behind it
};

// Behind each buffer stand marks for which no kernel asked. They lie in the part of UB that is not usable, so that as
// much fits as on the chip, and tell of writes through addresses, which no call checks.
constexpr uint32_t kMarks = 32;
constexpr uint8_t kMark = 0xB7;

/// A vector function that was started and may still wait for the scalar unit (hybrid/vf_call.h).
struct VectorWork {
    virtual ~VectorWork() = default;
    /// Goes on until it has ended (false), or its threads do nothing but poll memory for so many turns.
    virtual bool step(int patience) = 0;
};
/// Loops that poll may get on in between, which cannot be told from waiting: a new function is given time for that, one
/// that the scalar unit looks after is not.
constexpr int kLongPatience = 4096;
constexpr int kShortPatience = 4;

struct Core {
    std::unique_ptr<uint8_t[]> ub{new uint8_t[kUbBytes]};
    Tracker tracker;
    GmOrder gm;
    bool fresh = true;       // UB was never used
    bool raw_access = false; // a kernel took an address of UB, so anything may have been written
    Flag flags[kHardEvents][kEventIds];
    uint32_t event_ids[kHardEvents] = {};
    // All buffers ever made in this block; addresses stay valid, LocalTensors point at them.
    std::vector<std::unique_ptr<Buffer>> buffers;
    uint32_t ub_top = 0;   // where the next buffer lies
    uint32_t ub_asked = 0; // without marks
    void* pipe = nullptr;

    AtomicMode atomic = AtomicMode::None;
    AtomicType atomic_type = AtomicType::None;
    bool counter_mode = false;
    uint64_t mask_low = ~uint64_t{0};
    uint64_t mask_high = ~uint64_t{0};
    uint8_t compare_mask[32] = {};
    uint64_t pad_value = 0;
    int64_t gather_count = 0;
    double reduce_sum = 0;

    Allocation recent_gm[4];
    uint32_t next_recent = 0;

    uint32_t block = 0;
    uint32_t blocks = 1;
    Fiber* fiber = nullptr;
    bool waiting = false;  // in SyncAll
    bool yielded = false;  // lets the other cores of this host thread run
    uint32_t polls = 0;
    bool finished = false;
    uint32_t dynamic_bytes = 0;            // second launch argument
    Buffer* dynamic = nullptr;             // made when it is first used
    std::unique_ptr<VectorWork> work;      // kept for its threads
    bool work_pending = false;
    std::vector<std::pair<const void*, Buffer*>> arrays; // __ubuf__ variables by their declaration
    Knowledge mutex_knowledge[32] = {};
    bool mutex_held[32] = {};

    /// Lets the vector unit end what it was given; the other cores run on meanwhile.
    void finish_work()
    {
        while (work_pending && work->step(kLongPatience)) {
            yielded = true;
            fiber->suspend();
        }
        work_pending = false;
    }

    void begin(uint32_t block_index, uint32_t block_count)
    {
        poison(ub.get(), fresh ? kUbBytes : (raw_access ? kUbBytes : tracker.top()));
        fresh = raw_access = false;
        tracker.reset();
        gm.reset();
        for (auto& row : flags) {
            for (Flag& f : row) f = Flag{};
        }
        for (uint32_t& bits : event_ids) bits = 0;
        buffers.clear();
        ub_top = ub_asked = 0;
        pipe = nullptr;
        atomic = AtomicMode::None;
        atomic_type = AtomicType::None;
        counter_mode = false;
        mask_low = mask_high = ~uint64_t{0};
        pad_value = 0;
        for (Allocation& a : recent_gm) a = Allocation{};
        block = block_index;
        blocks = block_count;
        waiting = yielded = finished = false;
        dynamic = nullptr;
        work_pending = false;
        arrays.clear();
        for (Knowledge& k : mutex_knowledge) k.fill(0);
        for (bool& held : mutex_held) held = false;
    }

    /// Range check of a GM access; scalar code touches the same allocation again and again.
    void check_gm(const void* p, size_t bytes, const char* what, Loc loc)
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(p);
        for (const Allocation& a : recent_gm) {
            if (a.base != 0 && at >= a.base && at + bytes <= a.base + a.size) return;
        }
        check_gm_range(p, bytes, what, loc);
        recent_gm[next_recent++ % 4] = MemoryTable::get().find(at);
    }

    /// All pipes wait for each other.
    void barrier_all()
    {
        tracker.barrier_all();
        gm.reset();
    }

    Buffer* make_buffer(uint32_t bytes, const void* owner, Loc loc)
    {
        const uint32_t rounded = (bytes + 31) / 32 * 32;
        if (ub_asked + rounded > kUbUsable || rounded < bytes) {
            violation("ub-capacity", loc, "%u bytes asked for with %u of %u usable bytes of UB taken", bytes, ub_asked, kUbUsable);
        }
        buffers.emplace_back(new Buffer);
        Buffer* b = buffers.back().get();
        b->at = ub_top;
        b->bytes = rounded;
        b->owner = owner;
        b->made = loc;
        ub_asked += rounded;
        ub_top += rounded;
        b->marked = ub_top - ub_asked + kMarks <= kUbBytes - kUbUsable;
        if (b->marked) {
            std::memset(ub.get() + ub_top, kMark, kMarks);
            ub_top += kMarks;
        }
        return b;
    }

    /// Ends the use of all marks; one that was written over breaks a rule.
    void check_marks()
    {
        for (auto& b : buffers) {
            const uint8_t* mark = ub.get() + b->at + b->bytes;
            for (uint32_t i = 0; b->marked && raw_access && i < kMarks; ++i) {
                if (mark[i] != kMark) violation("ub-out-of-bounds", b->made, "an address behind this buffer of %u bytes was written to", b->bytes);
            }
            b->marked = false;
        }
    }
};

inline thread_local Core* tl_core = nullptr;

/// The core of the calling kernel code; a call from host code breaks a rule.
inline Core& core(Loc loc)
{
    if (tl_core == nullptr) violation("device-api-on-host", loc, "a device API was called outside a kernel");
    return *tl_core;
}

} // namespace ascendc_emu
