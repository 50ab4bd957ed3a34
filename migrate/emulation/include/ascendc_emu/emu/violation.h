// Reports of broken rules: one line on stderr, then the process ends with exit code 86.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ascendc_emu {

/// Source position of the API call in the kernel; a defaulted last parameter of every API function.
struct Loc {
    const char* file;
    int line;
    static constexpr Loc here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
};

/// Exit code of a process that broke a rule.
constexpr int kViolationExit = 86;

/// What this OS thread is executing; shown in the report. `kernel` is null on the host side.
struct Where {
    const char* kernel = nullptr;
    int core = -1;
};
inline thread_local Where tl_where;

/// Prints `ascendc_emu: <rule>: <message> [kernel k, core c, at file:line]` and ends the process.
[[noreturn]] inline void violation(const char* rule, Loc loc, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

inline void violation(const char* rule, Loc loc, const char* format, ...)
{
    static std::atomic<bool> reported{false};
    // Several cores may break the same rule at once; the first one speaks and the others wait for the end.
    if (reported.exchange(true)) {
        for (;;) pause();
    }
    char text[900];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fflush(stdout);
    const char* file = loc.file != nullptr ? loc.file : "?";
    if (tl_where.kernel != nullptr) {
        fprintf(stderr, "ascendc_emu: %s: %s [kernel %s, core %d, at %s:%d]\n", rule, text, tl_where.kernel,
                tl_where.core, file, loc.line);
    } else {
        fprintf(stderr, "ascendc_emu: %s: %s [host, at %s:%d]\n", rule, text, file, loc.line);
    }
    fflush(stderr);
    _exit(kViolationExit);
}

/// Pattern that is a NaN as float32, float16 and bfloat16 and an unlikely integer; fills memory nobody wrote.
constexpr uint32_t kPoison = 0xFFFAFFFAu;

inline void poison(void* to, size_t bytes)
{
    const uint64_t pattern = static_cast<uint64_t>(kPoison) << 32 | kPoison;
    uint8_t* p = static_cast<uint8_t*>(to);
    for (; bytes >= sizeof pattern; bytes -= sizeof pattern, p += sizeof pattern) memcpy(p, &pattern, sizeof pattern);
    memcpy(p, &pattern, bytes);
}

} // namespace ascendc_emu
