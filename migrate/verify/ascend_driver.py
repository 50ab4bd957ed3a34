"""The C++ program that replays one captured launch on a migrated ``.asc`` file.

It includes the migrated file with ``main`` renamed, so every launch function is in reach, whatever
its linkage. Arguments come from a job file, since their C++ types are known only here: the launch
function's own signature says how to read them.
"""

from __future__ import annotations

from collections.abc import Sequence

_SUPPORT = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace cudamigrate_replay {

constexpr size_t kGuard = 4096;
constexpr unsigned char kGuardByte = 0xA5;

[[noreturn]] inline void fail(const std::string& what)
{
    std::fprintf(stderr, "replay: %s\n", what.c_str());
    std::exit(70);
}

inline void need(aclError error, const char* what)
{
    if (error != ACL_SUCCESS) fail(std::string(what) + " gave " + std::to_string(int(error)));
}

struct Buffer {
    size_t size = 0;
    char* memory = nullptr;
    char* data() const { return memory + kGuard; }
};

struct Argument {
    char kind = 'r';  // r raw bytes, p pointer
    std::vector<char> bytes;
    long long alloc = -1;
    unsigned long long offset = 0;
    struct Word { size_t at; long long alloc; unsigned long long offset; };
    std::vector<Word> words;
};

// A pointer in memory: in allocation `holder`, or in the variable `name`, at a byte. It holds
// another address here than where it was captured.
struct Link {
    long long holder;
    std::string name;
    Argument::Word word;
};

struct Job {
    std::string kernel, out;
    unsigned grid[3], block[3];
    size_t shared = 0;
    std::vector<Argument> args;
    std::map<long long, Buffer> buffers;
    std::vector<std::pair<std::string, std::string>> globals;
    std::vector<Link> links;
    std::map<long long, unsigned long long> bases;  // where allocations were in the capture
};

inline std::vector<char> read_file(const std::string& path)
{
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) fail("cannot read " + path);
    std::vector<char> data(static_cast<size_t>(in.tellg()));
    in.seekg(0);
    in.read(data.data(), static_cast<std::streamsize>(data.size()));
    return data;
}

inline std::vector<char> from_hex(const std::string& text)
{
    std::vector<char> out;
    for (size_t i = 0; i + 1 < text.size(); i += 2) {
        out.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
    return out;
}

inline Buffer make_buffer(size_t size, const std::string& file)
{
    Buffer b;
    b.size = size;
    const std::vector<char> content = read_file(file);
    if (content.size() != size) fail("captured buffer has another size");
    std::vector<char> whole(size + 2 * kGuard, static_cast<char>(kGuardByte));
    std::memcpy(whole.data() + kGuard, content.data(), size);
    void* p = nullptr;
    need(aclrtMalloc(&p, whole.size(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    const size_t n = whole.size();
    need(aclrtMemcpy(p, n, whole.data(), n, ACL_MEMCPY_HOST_TO_DEVICE), "copy in");
    b.memory = static_cast<char*>(p);
    return b;
}

inline char* address(const Job& job, long long alloc, unsigned long long offset)
{
    if (alloc < 0) return nullptr;
    const auto found = job.buffers.find(alloc);
    if (found == job.buffers.end()) fail("argument points to an allocation that was not captured");
    return found->second.data() + offset;
}

// Content as captured, with its pointers made those of this process.
inline void relocate(Job& job, const Link& link, char* content, size_t size)
{
    const auto& w = link.word;
    if (w.at + sizeof(unsigned long long) > size) fail("a pointer outside of what holds it");
    unsigned long long captured;
    std::memcpy(&captured, content + w.at, sizeof(captured));
    job.bases[w.alloc] = captured - w.offset;
    char* p = address(job, w.alloc, w.offset);
    std::memcpy(content + w.at, &p, sizeof(p));
}

// The other way: what a pointer in memory would be at the places of the capture.
inline void restore(const Job& job, const Link& link, char* content, size_t size)
{
    const size_t at = link.word.at;
    if (at + sizeof(unsigned long long) > size) return;
    unsigned long long word;
    std::memcpy(&word, content + at, sizeof(word));
    for (const auto& [alloc, b] : job.buffers) {
        const auto base = job.bases.find(alloc);
        const auto here = reinterpret_cast<unsigned long long>(b.data());
        if (base == job.bases.end() || word < here || word > here + b.size) continue;
        word = base->second + (word - here);
        std::memcpy(content + at, &word, sizeof(word));
        return;
    }
}

inline void relocate_buffers(Job& job)
{
    for (const Link& link : job.links) {
        const auto found = job.buffers.find(link.holder);
        if (!link.name.empty() || found == job.buffers.end()) continue;
        const Buffer& b = found->second;
        std::vector<char> content(b.size);
        const size_t n = b.size;
        need(aclrtMemcpy(content.data(), n, b.data(), n, ACL_MEMCPY_DEVICE_TO_HOST), "copy out");
        relocate(job, link, content.data(), n);
        need(aclrtMemcpy(b.data(), n, content.data(), n, ACL_MEMCPY_HOST_TO_DEVICE), "copy in");
    }
}

inline Job read_job(const char* path)
{
    std::ifstream in(path);
    if (!in) fail(std::string("cannot read ") + path);
    Job job;
    std::string word;
    while (in >> word) {
        if (word == "kernel") in >> job.kernel;
        else if (word == "out") in >> job.out;
        else if (word == "grid") in >> job.grid[0] >> job.grid[1] >> job.grid[2];
        else if (word == "block") in >> job.block[0] >> job.block[1] >> job.block[2];
        else if (word == "shared") in >> job.shared;
        else if (word == "buffer") {
            long long alloc; size_t size; std::string file;
            in >> alloc >> size >> file;
            job.buffers[alloc] = make_buffer(size, file);
        } else if (word == "global") {
            std::string name, file;
            in >> name >> file;
            job.globals.emplace_back(name, file);
        } else if (word == "pointer") {
            Argument a;
            a.kind = 'p';
            in >> a.alloc >> a.offset;
            job.args.push_back(a);
        } else if (word == "raw") {
            Argument a;
            std::string hex;
            in >> hex;
            a.bytes = from_hex(hex);
            job.args.push_back(a);
        } else if (word == "word") {
            Argument::Word w{};
            in >> w.at >> w.alloc >> w.offset;
            if (job.args.empty()) fail("a word without an argument");
            job.args.back().words.push_back(w);
        } else if (word == "inner" || word == "inside") {
            Link link{-1, "", {}};
            if (word == "inner") in >> link.holder;
            else in >> link.name;
            in >> link.word.at >> link.word.alloc >> link.word.offset;
            job.links.push_back(link);
        } else fail("unknown word " + word);
    }
    relocate_buffers(job);
    return job;
}

template <class T>
T argument(const Job& job, size_t index)
{
    if (index >= job.args.size()) fail("too few captured arguments");
    const Argument& a = job.args[index];
    if constexpr (std::is_pointer_v<T>) {
        if (a.kind != 'p') fail("argument " + std::to_string(index) + " was captured as a value");
        return (T)address(job, a.alloc, a.offset);
    } else {
        if (a.kind != 'r' || a.bytes.size() != sizeof(T)) {
            fail("argument " + std::to_string(index) + " has another size than the parameter");
        }
        std::vector<char> bytes = a.bytes;
        for (const auto& w : a.words) {
            char* p = address(job, w.alloc, w.offset);
            std::memcpy(bytes.data() + w.at, &p, sizeof(p));
        }
        alignas(T) unsigned char place[sizeof(T)];
        std::memcpy(place, bytes.data(), sizeof(T));
        return *reinterpret_cast<T*>(place);
    }
}

template <class D, class... P>
using Entry = void (*)(D, D, size_t, aclrtStream, P...);

template <class D, class... P, size_t... I>
void launch(Entry<D, P...> entry, const Job& job, std::index_sequence<I...>)
{
    if (job.args.size() != sizeof...(P)) fail("another number of arguments was captured");
    entry(D(job.grid[0], job.grid[1], job.grid[2]), D(job.block[0], job.block[1], job.block[2]),
          job.shared, nullptr, argument<std::remove_cv_t<std::remove_reference_t<P>>>(job, I)...);
}

template <class D, class... P>
void call(void (*entry)(D, D, size_t, aclrtStream, P...), const Job& job)
{
    launch(entry, job, std::index_sequence_for<P...>{});
}

struct Global { const char* name; void* address; size_t size; };

inline const Global& find(const std::vector<Global>& table, const std::string& name)
{
    for (const Global& g : table) {
        if (name == g.name) return g;
    }
    fail("device variable " + name + " is not in the migrated file");
}

inline void write_file(const std::string& path, const char* data, size_t size)
{
    std::ofstream out(path, std::ios::binary);
    out.write(data, static_cast<std::streamsize>(size));
    if (!out) fail("cannot write " + path);
}

inline void finish(const Job& job, const std::vector<Global>& table)
{
    need(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    for (const auto& [alloc, b] : job.buffers) {
        const size_t n = b.size + 2 * kGuard;
        std::vector<char> whole(n);
        need(aclrtMemcpy(whole.data(), n, b.memory, n, ACL_MEMCPY_DEVICE_TO_HOST), "copy out");
        for (size_t i = 0; i < kGuard; ++i) {
            const auto low = static_cast<unsigned char>(whole[i]);
            const auto high = static_cast<unsigned char>(whole[kGuard + b.size + i]);
            if (low != kGuardByte || high != kGuardByte) {
                fail("the kernel wrote outside allocation " + std::to_string(alloc));
            }
        }
        for (const Link& link : job.links) {
            if (link.name.empty() && link.holder == alloc) {
                restore(job, link, whole.data() + kGuard, b.size);
            }
        }
        write_file(job.out + "/buffer_" + std::to_string(alloc), whole.data() + kGuard, b.size);
    }
    for (const auto& [name, file] : job.globals) {
        const Global& g = find(table, name);
        std::vector<char> content(g.size);
        std::memcpy(content.data(), g.address, g.size);
        for (const Link& link : job.links) {
            if (link.name == name) restore(job, link, content.data(), g.size);
        }
        write_file(job.out + "/global_" + name, content.data(), g.size);
    }
}

inline void set_globals(Job& job, const std::vector<Global>& table)
{
    for (const auto& [name, file] : job.globals) {
        const Global& g = find(table, name);
        std::vector<char> content = read_file(file);
        for (const Link& link : job.links) {
            if (link.name == name) relocate(job, link, content.data(), content.size());
        }
        if (content.size() != g.size) fail("device variable " + name + " has another size");
        std::memcpy(g.address, content.data(), g.size);
    }
}

} // namespace cudamigrate_replay
"""

_MAIN = """
int main(int argc, char** argv)
{{
    using namespace cudamigrate_replay;
    if (argc != 2) fail("one job file is needed");
    const aclError opened = aclInit(nullptr);  // a file without main opens it before us
    if (opened != ACL_ERROR_REPEAT_INITIALIZE) need(opened, "aclInit");
    need(aclrtSetDevice(0), "aclrtSetDevice");
    const std::vector<Global> table = {{{table}}};
    Job job = read_job(argv[1]);
    set_globals(job, table);
{cases}
    fail("no kernel " + job.kernel);
}}
"""


def driver_source(
    included: str, entries: Sequence[tuple[str, str]], variables: Sequence[tuple[str, str]]
) -> str:
    """The driver for one migrated file.

    ``entries`` are (key, C++ expression that names the launch function), ``variables`` the device
    variables of the file, likewise.
    """
    cases = "\n".join(
        f'    if (job.kernel == "{key}") {{\n'
        f"        call({expression}, job);\n"
        "        finish(job, table);\n"
        "        return 0;\n"
        "    }"
        for key, expression in entries
    )
    table = ", ".join(f'{{"{v}", (void*)&::{e}, sizeof(::{e})}}' for v, e in variables)
    return (
        # In front: macros of the program (`#define T double`) must not reach the driver's own code.
        f'#include "acl/acl.h"\n{_SUPPORT}'
        f'#define main cudamigrate_program_main\n#include "{included}"\n#undef main\n'
        f"{_MAIN.format(table=table, cases=cases)}"
    )
