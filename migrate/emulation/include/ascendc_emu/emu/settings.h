// The chip that is emulated and the switches read from the environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <thread>

// The compiler of the vendor sets __NPU_ARCH__ from --npu-arch=dav-XXXX. Without it the 910B is assumed.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

#if __NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510
#error "ascendc_emu emulates __NPU_ARCH__ 2201 (Ascend 910B) and 3510 (Ascend 950)"
#endif

namespace ascendc_emu {

#if __NPU_ARCH__ == 2201
constexpr bool kIs910B = true;
// 192 KiB less 256 bytes, and 8 KiB reserved for the compiler unless --cce-disable-asc-reserved-ubuf is given.
constexpr uint32_t kUbBytes = 192 * 1024;
#ifdef ASCENDC_EMU_NO_RESERVED_UBUF
constexpr uint32_t kUbUsable = kUbBytes - 256;
#else
constexpr uint32_t kUbUsable = kUbBytes - 256 - 8 * 1024;
#endif
constexpr uint32_t kDefaultCores = 48;
constexpr const char* kSocName = "Ascend910B1";
#else
constexpr bool kIs910B = false;
constexpr uint32_t kUbBytes = 256 * 1024;
#ifdef ASCENDC_EMU_NO_RESERVED_UBUF
constexpr uint32_t kUbUsable = kUbBytes;
#else
constexpr uint32_t kUbUsable = kUbBytes - 8 * 1024;
#endif
constexpr uint32_t kDefaultCores = 64;
constexpr const char* kSocName = "Ascend950PR";
#endif

/// Shared memory that a SIMT block may use: 256 KiB less 8 KiB reserved and the smallest data cache of 32 KiB.
constexpr uint32_t kSimtUbUsable = 216 * 1024;

inline long environment_number(const char* name, long otherwise)
{
    const char* text = std::getenv(name);
    if (text == nullptr || *text == 0) return otherwise;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    return end != text && value >= 0 ? value : otherwise;
}

/// Vector cores of the chip: the macro or the variable ASCENDC_EMU_CORES, else 48 (910B) or 64 (950).
inline uint32_t core_count()
{
#ifdef ASCENDC_EMU_CORES
    return ASCENDC_EMU_CORES;
#else
    static const long n = environment_number("ASCENDC_EMU_CORES", kDefaultCores);
    return static_cast<uint32_t>(n > 0 ? n : kDefaultCores);
#endif
}

/// Host threads that run cores: ASCENDC_EMU_THREADS, else all processors of the host.
inline unsigned host_threads()
{
    static const unsigned n = [] {
        const long wanted = environment_number("ASCENDC_EMU_THREADS", 0);
        const unsigned have = std::thread::hardware_concurrency();
        return wanted > 0 ? static_cast<unsigned>(wanted) : (have > 0 ? have : 1u);
    }();
    return n;
}

/// CUDAMIGRATE_SKIP_KERNELS=1: launches are accepted and do nothing, so a check that still passes is worthless.
inline bool skip_kernels()
{
    static const bool skip = environment_number("CUDAMIGRATE_SKIP_KERNELS", 0) != 0;
    return skip;
}

} // namespace ascendc_emu
