// The device memory of the emulated chip: a table of allocations, guard pages behind each of them, poison inside.
#pragma once

#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <sys/mman.h>

#include "violation.h"

namespace ascendc_emu {

/// One range given out by aclrtMalloc or aclrtMallocHost. `map`/`mapped` is the range that mmap gave.
struct Allocation {
    uintptr_t base = 0;
    size_t size = 0;
    bool host = false;
    bool shared = false; // host and device both use it: managed, or mapped memory of the host
    uintptr_t map = 0;
    size_t mapped = 0;
};

/// Device memory starts as poison, or as zeros with CUDAMIGRATE_FRESH_MEMORY=zero for programs that rely on it.
inline void fresh(void* to, size_t bytes)
{
    static const bool zero = [] {
        const char* text = std::getenv("CUDAMIGRATE_FRESH_MEMORY");
        return text != nullptr && strcmp(text, "zero") == 0;
    }();
    if (zero) {
        memset(to, 0, bytes);
    } else {
        poison(to, bytes);
    }
}

class MemoryTable {
public:
    static MemoryTable& get()
    {
        static MemoryTable table;
        return table;
    }

    /// Allocates `size` bytes so that an access past the end runs into a page nobody may touch.
    void* allocate(size_t size, bool host)
    {
        const size_t page = 4096;
        // Wide enough for the overhang of a whole last block of threads, not for any wild index.
        size_t guard = 4 << 20;
        const size_t align = 64;
        const size_t room = (size + align - 1) / align * align;
        const size_t body = (room + page - 1) / page * page;
        void* map = mmap(nullptr, body + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map == MAP_FAILED) {
            // Little address space left: a narrow guard is better than no memory.
            guard = page;
            map = mmap(nullptr, body + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        }
        if (map == MAP_FAILED) return nullptr;
        const uintptr_t first = reinterpret_cast<uintptr_t>(map) + guard;
        if (mprotect(reinterpret_cast<void*>(first), body, PROT_READ | PROT_WRITE) != 0) {
            munmap(map, body + 2 * guard);
            return nullptr;
        }
        Allocation a;
        a.base = first + body - room;
        a.size = size;
        a.host = host;
        a.map = reinterpret_cast<uintptr_t>(map);
        a.mapped = body + 2 * guard;
        if (!host) fresh(reinterpret_cast<void*>(a.base), size);
        memset(reinterpret_cast<void*>(a.base + size), kCanary, room - size);
        install_fault_handler();
        std::unique_lock<std::shared_mutex> hold(mutex_);
        table_[a.base] = a;
        return reinterpret_cast<void*>(a.base);
    }

    /// Frees a range. False if `p` is not the start of a live allocation of that kind.
    bool release(void* p, bool host, Loc loc)
    {
        std::unique_lock<std::shared_mutex> hold(mutex_);
        auto it = table_.find(reinterpret_cast<uintptr_t>(p));
        if (it == table_.end() || it->second.host != host) return false;
        check_canary(it->second, loc);
        munmap(reinterpret_cast<void*>(it->second.map), it->second.mapped);
        table_.erase(it);
        return true;
    }

    /// The live allocation that holds `address`, or one with base 0.
    Allocation find(uintptr_t address) const
    {
        std::shared_lock<std::shared_mutex> hold(mutex_);
        auto it = table_.upper_bound(address);
        if (it == table_.begin()) return {};
        --it;
        const Allocation& a = it->second;
        return address < a.base + (a.size == 0 ? 1 : a.size) ? a : Allocation{};
    }

    /// After a kernel: no allocation may have been written in the few bytes between its end and its guard page.
    void check_all_canaries(Loc loc) const
    {
        std::shared_lock<std::shared_mutex> hold(mutex_);
        for (const auto& entry : table_) check_canary(entry.second, loc);
    }

    /// Marks a live allocation as visible to host and device; false if `p` is in none.
    bool share(const void* p)
    {
        std::unique_lock<std::shared_mutex> hold(mutex_);
        auto it = table_.upper_bound(reinterpret_cast<uintptr_t>(p));
        if (it == table_.begin()) return false;
        --it;
        it->second.shared = true;
        return true;
    }

    /// Enters memory of the host's own allocator as visible to both; nothing is freed with it.
    void adopt(void* p, size_t size)
    {
        Allocation a;
        a.base = reinterpret_cast<uintptr_t>(p);
        a.size = size;
        a.host = a.shared = true;
        std::unique_lock<std::shared_mutex> hold(mutex_);
        table_[a.base] = a;
    }

    /// Forgets memory that `adopt` entered; false if there is none at `p`.
    bool disown(void* p)
    {
        std::unique_lock<std::shared_mutex> hold(mutex_);
        auto it = table_.find(reinterpret_cast<uintptr_t>(p));
        if (it == table_.end() || it->second.map != 0) return false;
        table_.erase(it);
        return true;
    }

    size_t device_bytes() const
    {
        std::shared_lock<std::shared_mutex> hold(mutex_);
        size_t sum = 0;
        for (const auto& entry : table_) sum += entry.second.host ? 0 : entry.second.size;
        return sum;
    }

    /// Fibers run on small stacks, so the fault handler needs a stack of its own, one per OS thread.
    static void use_alternate_stack()
    {
        static thread_local char stack[32768];
        static thread_local bool installed = false;
        if (installed) return;
        installed = true;
        memset(stack, 0, sizeof stack); // present before a fault needs it
        stack_t alternate{};
        alternate.ss_sp = stack;
        alternate.ss_size = sizeof stack;
        sigaltstack(&alternate, nullptr);
    }

private:
    static constexpr int kCanary = 0xC5;

    static void check_canary(const Allocation& a, Loc loc)
    {
        if (a.map == 0) return; // not ours, no mark behind it
        const uint8_t* end = reinterpret_cast<const uint8_t*>(a.base + a.size);
        const size_t slack = (64 - a.size % 64) % 64;
        for (size_t i = 0; i < slack; ++i) {
            if (end[i] != kCanary) {
                violation("gm-out-of-bounds", loc, "byte %zu past the end of an allocation of %zu bytes was written",
                          i, a.size);
            }
        }
    }

    static void on_fault(int, siginfo_t* info, void*)
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(info->si_addr);
        violation("gm-out-of-bounds", Loc{"unknown line", 0}, "access to address 0x%zx, which is in no allocation",
                  static_cast<size_t>(at));
    }

    static void install_fault_handler()
    {
        static std::once_flag once;
        use_alternate_stack();
        std::call_once(once, [] {
            struct sigaction action{};
            action.sa_sigaction = on_fault;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
            sigaction(SIGSEGV, &action, nullptr);
            sigaction(SIGBUS, &action, nullptr);
        });
    }

    mutable std::shared_mutex mutex_;
    std::map<uintptr_t, Allocation> table_;
};

/// Sizes of the `__gm__` variables of the program, entered by RegisterSymbol before main.
inline std::map<const void*, size_t>& symbols()
{
    static std::map<const void*, size_t> table;
    return table;
}

/// Size in bytes of a registered `__gm__` variable, 0 if unknown.
inline size_t symbol_size(const void* symbol)
{
    const auto it = symbols().find(symbol);
    return it == symbols().end() ? 0 : it->second;
}

struct RegisterSymbol {
    RegisterSymbol(const void* address, size_t size) { symbols()[address] = size; }
};

/// The `__gm__` variable that holds [p, p+bytes), if any.
inline bool in_symbol(const void* p, size_t bytes)
{
    auto it = symbols().upper_bound(p);
    if (it == symbols().begin()) return false;
    --it;
    const char* at = static_cast<const char*>(p);
    const char* base = static_cast<const char*>(it->first);
    return at + bytes <= base + it->second;
}

/// Checks that [p, p+bytes) lies inside one live device allocation.
inline void check_gm_range(const void* p, size_t bytes, const char* what, Loc loc)
{
    if (bytes == 0) return;
    const uintptr_t at = reinterpret_cast<uintptr_t>(p);
    const Allocation a = MemoryTable::get().find(at);
    if (a.base == 0) {
        if (in_symbol(p, bytes)) return;
        violation("gm-out-of-bounds", loc, "%s at address 0x%zx, which is in no device allocation", what,
                  static_cast<size_t>(at));
    }
    if (a.host && !a.shared) violation("gm-host-pointer", loc, "%s uses a pointer to host memory", what);
    if (at + bytes > a.base + a.size) {
        violation("gm-out-of-bounds", loc, "%s of %zu bytes at offset %zu of an allocation of %zu bytes", what, bytes,
                  static_cast<size_t>(at - a.base), a.size);
    }
}

} // namespace ascendc_emu
