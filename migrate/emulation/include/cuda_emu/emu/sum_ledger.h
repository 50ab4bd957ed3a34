// What floating-point atomic additions added up, per address: their number and the sum of magnitudes.
//
// A sum of n terms depends on the order of its additions by an amount that these two bound; see
// docs/order.md. Kept only while a launch is run for that purpose, on one OS thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace cuda_emu {

struct SumEntry {
  std::uint64_t additions = 0;
  double magnitude = 0;          // |first content| + the magnitudes of all terms
  unsigned char last[8] = {};    // what the last addition left: later stores show by it
  std::uint8_t size = 0;
};

typedef std::unordered_map<std::uintptr_t, SumEntry> SumLedger;
inline SumLedger *sum_ledger = nullptr;

template <class T>
__attribute__((noinline, cold)) void enter_sum(const void *address, T old, T term, T result) {
  SumEntry &entry = (*sum_ledger)[reinterpret_cast<std::uintptr_t>(address)];
  if (!entry.additions++) entry.magnitude = std::fabs(static_cast<double>(old));
  entry.magnitude += std::fabs(static_cast<double>(term));
  entry.size = sizeof(T);
  std::memcpy(entry.last, static_cast<const void *>(&result), sizeof(T));
}

template <class T>
T note_sum(const void *address, T old, T term, T result) {
  if (__builtin_expect(sum_ledger != nullptr, 0)) enter_sum(address, old, term, result);
  return result;
}

}  // namespace cuda_emu
