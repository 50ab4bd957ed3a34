// Findings of the checks: one JSON object a line, in the file that CUDAMIGRATE_CHECK_FILE names.
//
// Code addresses are written relative to the image, with the frames above them; the reader turns
// them into source lines. A finding is written once for each pair of code places.
#pragma once

#include <link.h>
#include <pthread.h>

#include <cstdarg>
#include <cstdio>
#include <set>
#include <string>
#include <tuple>

#include "block.h"
#include "check_shadow.h"
#include "json_text.h"
#include "launch_state.h"

namespace cuda_emu {
namespace check {

struct Image {
  std::uintptr_t base = 0, low = 0, high = 0;  // of the program itself, without its libraries
};
inline const Image &image() {
  static const Image found = [] {
    Image made;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *out) {
          auto &image = *static_cast<Image *>(out);
          image.base = info->dlpi_addr;
          image.low = ~std::uintptr_t{0};
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
            std::uintptr_t from = image.base + info->dlpi_phdr[i].p_vaddr;
            if (from < image.low) image.low = from;
            if (from + info->dlpi_phdr[i].p_memsz > image.high)
              image.high = from + info->dlpi_phdr[i].p_memsz;
          }
          return 1;  // the first entry is the program
        },
        &made);
    return made;
  }();
  return found;
}

inline std::uint32_t short_pc(const void *pc) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pc) - image().base) & 0xFFFFFFF;
}

// Code addresses from the innermost frame outwards, relative to the image.
struct Chain {
  static constexpr unsigned most = 24;
  std::uint32_t pc[most];
  unsigned count = 0;
  void add(const void *address) {
    if (count < most) pc[count++] = short_pc(address);
  }
};

struct StackBounds { std::uintptr_t low = 0, high = 0; };
inline StackBounds os_stack() {
  static thread_local StackBounds bounds = [] {
    StackBounds made;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes)) return made;
    void *low = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    made.low = reinterpret_cast<std::uintptr_t>(low);
    made.high = made.low + bytes;
    return made;
  }();
  return bounds;
}
inline StackBounds this_stack() {
  if (!in_kernel()) return os_stack();
  const Fiber *f = this_worker->current;
  auto low = reinterpret_cast<std::uintptr_t>(f->stack);
  return {low, low + f->stack_bytes};
}

// Walks the frame pointers, which instrumented code keeps, from `pc` on (all frames when it is null).
inline __attribute__((noinline)) Chain call_chain(const void *pc) {
  Chain all, from_pc;
  StackBounds bounds = this_stack();
  auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  bool seen = false;
  while (frame >= bounds.low && frame + 16 <= bounds.high && frame % 8 == 0) {
    auto *words = reinterpret_cast<std::uintptr_t *>(frame);
    auto *back = reinterpret_cast<const void *>(words[1]);
    if (!back) break;
    all.add(back);
    if (back == pc) seen = true;
    if (seen) from_pc.add(back);
    if (words[0] <= frame) break;
    frame = words[0];
  }
  if (seen) return from_pc;
  if (!pc) return all;
  Chain alone;
  alone.add(pc);
  return alone;
}

// Appends to a JSON object.
class Line {
 public:
  explicit Line(const char *kind) { text("kind", kind); }
  Line &text(const char *key, const char *value) {
    name(key);
    out_ += json_string(value);
    return *this;
  }
  Line &number(const char *key, unsigned long long value) {
    name(key);
    out_ += std::to_string(value);
    return *this;
  }
  Line &signed_number(const char *key, long long value) {
    name(key);
    out_ += std::to_string(value);
    return *this;
  }
  Line &chain(const char *key, const Chain &c) {
    name(key);
    out_ += '[';
    for (unsigned i = 0; i < c.count; ++i) {
      if (i) out_ += ',';
      out_ += std::to_string(c.pc[i]);
    }
    out_ += ']';
    return *this;
  }
  Line &triple(const char *key, unsigned x, unsigned y, unsigned z) {
    name(key);
    out_ += '[' + std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(z) + ']';
    return *this;
  }
  const std::string &done() {
    out_ += "}\n";
    return out_;
  }

 private:
  void name(const char *key) {
    out_ += out_.empty() ? '{' : ',';
    out_ += std::string("\"") + key + "\":";
  }
  std::string out_;
};

// True while a finding is being made: what that touches is not checked.
inline thread_local bool busy = false;
struct Busy {
  bool before = busy;
  Busy() { busy = true; }
  ~Busy() { busy = before; }
};

inline constexpr std::size_t most_findings = 500;

// Whether this kind of finding at this place (and the other one of a race) is new.
inline bool first_time(const char *kind, std::uint32_t pc, std::uint32_t other = 0) {
  static auto *seen = new std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>>;
  if (seen->size() >= most_findings) return false;
  return seen->insert({kind, pc, other}).second;
}

inline void write_line(const std::string &line) {
  static std::FILE *file = [] {
    const char *name = std::getenv("CUDAMIGRATE_CHECK_FILE");
    return name ? std::fopen(name, "a") : nullptr;
  }();
  std::fputs(line.c_str(), file ? file : stderr);
  std::fflush(file ? file : stderr);
}

inline unsigned linear_thread() {
  const dim3 &d = this_worker->block->dim;
  return threadIdx.x + d.x * (threadIdx.y + d.y * threadIdx.z);
}

// The kernel, block and thread that run now.
inline void add_place(Line &line) {
  if (!in_kernel()) return;
  Block &block = *this_worker->block;
  line.text("kernel", kernel_name(*block.launch));
  line.triple("block", block.index.x, block.index.y, block.index.z);
  line.triple("thread", threadIdx.x, threadIdx.y, threadIdx.z);
}

}  // namespace check
}  // namespace cuda_emu
