// What a launch does before the kernel runs: stream, device, and which memory the stream now uses.
#pragma once

#include <type_traits>

#include "stream.h"

namespace ascendc_emu {

/// Marks every allocation that an argument (or a pointer inside a struct argument) refers to as used by the stream.
template <class T>
void mark_argument(Stream& s, const T& argument)
{
    if constexpr (sizeof(T) >= sizeof(void*) && std::is_trivially_copyable_v<T>) {
        for (size_t i = 0; i + sizeof(uintptr_t) <= sizeof(T); i += sizeof(uintptr_t)) {
            uintptr_t word;
            memcpy(&word, reinterpret_cast<const char*>(&argument) + i, sizeof word);
            const Allocation a = word > 4096 ? MemoryTable::get().find(word) : Allocation{};
            if (a.base != 0) s.pending.insert(a.base);
        }
    }
}

/// The stream of a launch; launching on a dead stream or without a device breaks a rule.
inline Stream& launch_stream(const char* kernel, void* handle, Loc loc)
{
    Runtime& rt = Runtime::get();
    Stream* s = rt.resolve(handle);
    if (s == nullptr) violation("launch-stream", loc, "kernel %s is launched on an invalid stream", kernel);
    if (!rt.device_set) violation("launch-no-device", loc, "kernel %s is launched without aclrtSetDevice", kernel);
    return *s;
}

} // namespace ascendc_emu
