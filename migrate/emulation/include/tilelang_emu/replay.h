// The program that runs one generated kernel on recorded buffers, as a job file says:
//
//   out FOLDER             where the buffers are written afterwards, as buffer_N
//   buffer N BYTES FILE    device memory with the content of the file
//   call GX GY GZ BX BY BZ SHARED TIMES
//   pointer N OFFSET       the next argument: an address in buffer N
//   raw HEX                the next argument: a value
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace tilelang_emu {

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "replay: %s\n", what.c_str());
  std::exit(70);
}

inline void need(cudaError_t error, const char *what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

// Around every buffer. The runtime's own guard zones hold NaN, which a kernel that computes with what
// it finds there writes back unchanged; these bytes are an ordinary number of every type.
constexpr std::size_t guard = 4096;
constexpr unsigned char guard_byte = 0xA5;

struct Buffer {
  std::size_t size = 0;
  char *memory = nullptr;  // the front guard
  char *data() const { return memory + guard; }
};

struct Argument {
  bool pointer = false;
  std::vector<char> bytes;
};

struct Call {
  dim3 grid, block;
  std::size_t shared = 0;
  unsigned long long times = 1;
  std::vector<Argument> arguments;
};

struct Job {
  std::string out;
  std::map<long long, Buffer> buffers;
  std::vector<Call> calls;
};

inline Buffer load_buffer(std::size_t size, const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> content(size + 2 * guard, static_cast<char>(guard_byte));
  char *start = content.data() + guard;
  if (!in.read(start, static_cast<std::streamsize>(size))) fail("cannot read " + path);
  Buffer b;
  b.size = size;
  void *memory = nullptr;
  need(cudaMalloc(&memory, content.size()), "cudaMalloc");
  need(cudaMemcpy(memory, content.data(), content.size(), cudaMemcpyHostToDevice), "copy in");
  b.memory = static_cast<char *>(memory);
  return b;
}

inline Argument address(const Job &job, long long number, unsigned long long offset) {
  const auto found = job.buffers.find(number);
  if (found == job.buffers.end()) fail("no buffer " + std::to_string(number));
  char *p = found->second.data() + offset;
  Argument a;
  a.pointer = true;
  a.bytes.resize(sizeof(p));
  std::memcpy(a.bytes.data(), &p, sizeof(p));
  return a;
}

inline Argument value(const std::string &hex) {
  Argument a;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    a.bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return a;
}

inline Job read_job(const char *path) {
  std::ifstream in(path);
  if (!in) fail(std::string("cannot read ") + path);
  Job job;
  std::string word;
  while (in >> word) {
    if (word == "out") {
      in >> std::ws;
      std::getline(in, job.out);
    } else if (word == "buffer") {
      long long number;
      std::size_t size;
      std::string file;
      in >> number >> size >> std::ws;
      std::getline(in, file);
      job.buffers[number] = load_buffer(size, file);
    } else if (word == "call") {
      Call c;
      in >> c.grid.x >> c.grid.y >> c.grid.z >> c.block.x >> c.block.y >> c.block.z;
      in >> c.shared >> c.times;
      job.calls.push_back(c);
    } else if (job.calls.empty()) {
      fail("an argument before a call");
    } else if (word == "pointer") {
      long long number;
      unsigned long long offset;
      in >> number >> offset;
      job.calls.back().arguments.push_back(address(job, number, offset));
    } else if (word == "raw") {
      std::string hex;
      in >> hex;
      job.calls.back().arguments.push_back(value(hex));
    } else {
      fail("unknown word " + word);
    }
  }
  return job;
}

template <class P>
void check(const Argument &a, std::size_t at) {
  const std::string name = "argument " + std::to_string(at);
  if (std::is_pointer<P>::value != a.pointer) fail(name + " is a pointer on one side only");
  if (sizeof(P) != a.bytes.size()) fail(name + " has another size than the parameter");
}

template <class... P>
void run(void (*kernel)(P...), Call &call) {
  if (call.arguments.size() != sizeof...(P)) fail("another number of arguments was given");
  std::size_t at = 0;
  ((check<P>(call.arguments[at], at), ++at), ...);
  std::vector<void *> arguments;
  for (Argument &a : call.arguments) arguments.push_back(a.bytes.data());
  for (unsigned long long n = 0; n < call.times; ++n) {
    need(cudaLaunchKernel(kernel, call.grid, call.block, arguments.data(), call.shared), "launch");
  }
}

inline void write_buffers(const Job &job) {
  for (const auto &[number, b] : job.buffers) {
    std::vector<char> content(b.size + 2 * guard);
    need(cudaMemcpy(content.data(), b.memory, content.size(), cudaMemcpyDeviceToHost), "copy out");
    for (std::size_t i = 0; i < guard; ++i) {
      const auto before = static_cast<unsigned char>(content[i]);
      const auto after = static_cast<unsigned char>(content[guard + b.size + i]);
      if (before != guard_byte || after != guard_byte) {
        fail("the kernel wrote outside buffer " + std::to_string(number));
      }
    }
    const std::string path = job.out + "/buffer_" + std::to_string(number);
    std::ofstream out(path, std::ios::binary);
    out.write(content.data() + guard, static_cast<std::streamsize>(b.size));
    if (!out) fail("cannot write " + path);
  }
}

template <class... P>
int replay(int argc, char **argv, void (*kernel)(P...)) {
  if (argc != 2) fail("one job file is needed");
  Job job = read_job(argv[1]);
  for (Call &call : job.calls) run(kernel, call);
  need(cudaDeviceSynchronize(), "the kernel");
  if (cuda_emu::check_guards("after the kernel")) fail("the kernel wrote far outside a buffer");
  write_buffers(job);
  return 0;
}

}  // namespace tilelang_emu
