// Contents on disk, each once, under a cap. A large content is a list of pieces, so that one which
// differs in a few places from another costs those pieces alone.
//
//   blobs/HASH.bin    the bytes
//   blobs/HASH.list   names of the pieces, one a line, in order
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "content_hash.h"

namespace cuda_emu {

inline constexpr std::size_t piece_bytes = 256 << 10;

// Bytes that will be left when repetition is packed away: pages of one repeated word cost nothing.
// Large buffers are often mostly poison or zeros, and should not use up the cap.
inline std::uint64_t weight(const void *bytes, std::size_t count) {
  const auto *in = static_cast<const unsigned char *>(bytes);
  constexpr std::size_t page = 4096;
  std::uint64_t total = count % page;
  for (std::size_t at = 0; at + page <= count; at += page)
    if (std::memcmp(in + at, in + at + 8, page - 8) != 0) total += page;
  return total;
}

// The name of a content, and for one in pieces their names, a line each.
inline std::string content_name(const void *bytes, std::size_t count, std::string *pieces = nullptr) {
  if (count <= 2 * piece_bytes) return content_hash(bytes, count);
  std::string names;
  const auto *in = static_cast<const char *>(bytes);
  for (std::size_t at = 0; at < count; at += piece_bytes)
    names += content_hash(in + at, std::min(piece_bytes, count - at)) + "\n";
  std::string name = content_hash(names.data(), names.size());
  if (pieces) *pieces = std::move(names);
  return name;
}

struct ContentStore {
  std::string directory;
  std::uint64_t max_bytes = 512ull << 20;
  std::uint64_t stored_bytes = 0;  // without pages that repeat one word
  std::uint64_t raw_bytes = 0;
  std::set<std::string> stored;

  // Names a content and stores it. False if it does not fit under the cap.
  bool keep(const void *bytes, std::size_t count, std::string *name) {
    std::string pieces;
    *name = content_name(bytes, count, &pieces);
    if (pieces.empty()) return store(*name, ".bin", bytes, count);
    if (stored.count(*name)) return true;
    const auto *in = static_cast<const char *>(bytes);
    for (std::size_t at = 0, line = 0; at < count; at += piece_bytes, line += 33)
      if (!store(pieces.substr(line, 32), ".bin", in + at, std::min(piece_bytes, count - at)))
        return false;
    return store(*name, ".list", pieces.data(), pieces.size());
  }

 private:
  // The raw sizes may reach eight times the cap.
  bool store(const std::string &name, const char *suffix, const void *bytes, std::size_t count) {
    if (stored.count(name)) return true;
    std::uint64_t cost = weight(bytes, count);
    if (stored_bytes + cost > max_bytes || raw_bytes + count > 8 * max_bytes) return false;
    std::string path = directory + "/blobs/" + name + suffix;
    std::FILE *out = std::fopen(path.c_str(), "wb");
    bool ok = out && std::fwrite(bytes, 1, count, out) == count;
    if (out) ok = std::fclose(out) == 0 && ok;
    if (!ok) {
      std::remove(path.c_str());
      return false;
    }
    stored.insert(name);
    stored_bytes += cost;
    raw_bytes += count;
    return true;
  }
};

}  // namespace cuda_emu
