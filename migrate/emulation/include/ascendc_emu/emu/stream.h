// Streams and events of the host runtime. Work runs when it is submitted; what is modelled is which device memory the
// host may not touch yet.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "memory.h"

namespace ascendc_emu {

/// Work that a capture recorded: each step is given the stream on which the graph runs.
struct Graph {
    std::vector<std::function<void(void* stream)>> steps;
};

/// A stream: the device allocations that submitted and not yet awaited work may write.
struct Stream {
    std::set<uintptr_t> pending;
    bool busy = false;
    uint32_t priority = 0;
    Graph* capture = nullptr; // work is recorded here instead of run
    bool began_capture = false;

    /// While the stream is captured, keeps the step for later; true then.
    template <class F>
    bool captured(F step)
    {
        if (capture == nullptr) return false;
        capture->steps.emplace_back(std::move(step));
        return true;
    }
};

struct Event {
    Graph* capture = nullptr; // recorded on a stream that was being captured
    bool recorded = false;
    std::chrono::steady_clock::time_point at;
    std::set<uintptr_t> covers; // allocations whose work the event stands for
};

/// State of the host runtime (aclInit, devices, streams); one per process.
struct Runtime {
    std::mutex mutex;
    bool initialised = false;
    bool device_set = false;
    int32_t device = 0;
    std::set<Stream*> streams;
    std::set<Event*> events;
    Stream default_stream;
    int last_error = 0;
    char message[512] = {0};
    bool has_message = false;

    static Runtime& get()
    {
        static Runtime runtime;
        return runtime;
    }

    Stream* resolve(void* handle)
    {
        if (handle == nullptr) return &default_stream;
        Stream* s = static_cast<Stream*>(handle);
        return streams.count(s) != 0 ? s : nullptr;
    }

    template <class F>
    void each_stream(F f)
    {
        f(default_stream);
        for (Stream* s : streams) f(*s);
    }

    static void finish(Stream& s)
    {
        s.pending.clear();
        s.busy = false;
    }

    /// The host is about to touch `p`: work that uses that allocation must have been awaited.
    void require_awaited(const void* p, const char* what, Loc loc)
    {
        const Allocation a = MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
        if (a.base == 0) return;
        each_stream([&](Stream& s) {
            if (s.pending.count(a.base) != 0) {
                violation("host-missing-sync", loc,
                          "%s touches memory that a kernel or copy on a stream still uses; aclrtSynchronizeStream or "
                          "aclrtSynchronizeDevice is missing",
                          what);
            }
        });
    }
};

} // namespace ascendc_emu
