// Launch of a SIMT kernel: blocks are spread over host threads.
#pragma once

#include <atomic>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../emu/arguments.h"
#include "../emu/pool.h"
#include "block.h"

namespace ascendc_emu {

/// `<<<grid, block, dynamicUb, stream>>>` of a SIMT kernel.
struct SimtConfig {
    dim3 grid;
    dim3 block;
    uint64_t dynamic_bytes;
    void* stream;
};

inline SimtConfig simt_config(dim3 grid, dim3 block, uint64_t dynamic_bytes = 0, void* stream = nullptr)
{
    return {grid, block, dynamic_bytes, stream};
}

inline void check_simt_launch(const char* name, const SimtConfig& c, Loc loc)
{
    const uint64_t blocks = uint64_t{c.grid.x} * c.grid.y * c.grid.z;
    const uint64_t threads = uint64_t{c.block.x} * c.block.y * c.block.z;
    if (blocks == 0 || blocks > 65535 || c.grid.x > 65535 || c.grid.y > 65535 || c.grid.z > 65535) {
        violation("launch-grid", loc, "kernel %s is launched with a grid of %u x %u x %u blocks (1 to 65535 in all)", name, c.grid.x, c.grid.y, c.grid.z);
    }
    if (threads == 0 || threads > 2048 || c.block.x > 2048 || c.block.y > 2048 || c.block.z > 2048) {
        violation("launch-block", loc, "kernel %s is launched with %u x %u x %u threads per block (1 to 2048 in all)", name, c.block.x, c.block.y, c.block.z);
    }
    if (c.dynamic_bytes > kSimtUbUsable) {
        violation("ub-capacity", loc, "kernel %s is launched with %llu bytes of dynamic shared memory, a block may use %u", name, static_cast<unsigned long long>(c.dynamic_bytes), kSimtUbUsable);
    }
}

/// Runs `kernel(arguments...)` for every thread of the grid; returns when all have ended.
template <class K, class... A>
void simt_launch(const char* name, K kernel, Loc loc, SimtConfig config, A&&... arguments)
{
    Stream& stream = launch_stream(name, config.stream, loc);
    check_simt_launch(name, config, loc);
    const std::tuple<std::decay_t<A>...> copies(std::forward<A>(arguments)...);
    const auto again = [=](void* to) {
        std::apply([&](const auto&... a) { simt_launch(name, kernel, loc, {config.grid, config.block, config.dynamic_bytes, to}, a...); }, copies);
    };
    if (stream.captured(again)) return;
    std::apply([&](const auto&... a) { (mark_argument(stream, a), ...); }, copies);
    stream.busy = true;
    if (skip_kernels()) return;
    const std::function<void()> body = [&] { std::apply(kernel, copies); };
    const uint32_t blocks = config.grid.x * config.grid.y * config.grid.z;
    const unsigned workers = blocks < host_threads() ? blocks : host_threads();
    std::atomic<uint32_t> next{0};
    WorkerPool::get().run(workers, [&](unsigned) {
        simt::Block& runner = simt::worker_block();
        const Where before = tl_where;
        for (uint32_t b = next.fetch_add(1); b < blocks; b = next.fetch_add(1)) {
            tl_where = {name, static_cast<int>(b)};
            const dim3 index(b % config.grid.x, b / config.grid.x % config.grid.y, b / (config.grid.x * config.grid.y));
            runner.run(body, config.grid, config.block, index, static_cast<uint32_t>(config.dynamic_bytes));
        }
        tl_where = before;
    });
    MemoryTable::get().check_all_canaries(loc);
}

} // namespace ascendc_emu
