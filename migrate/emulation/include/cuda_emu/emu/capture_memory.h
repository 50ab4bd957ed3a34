// How the recorder sees device memory: the CPU runtime's own, or that of a device behind the tap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_emu {

struct Region {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  int id = -1;  // in order of allocation
};

// A `__constant__`, `__device__` or `__managed__` variable.
struct CapturedVariable {
  std::string name, space;
  std::size_t size = 0;
};

struct DeviceMemory {
  virtual ~DeviceMemory() = default;
  // The allocation that holds an address, or ends at it.
  virtual bool locate(std::uintptr_t address, Region *found) const = 0;
  // Lowest and highest address in use.
  virtual void bounds(std::uintptr_t *low, std::uintptr_t *high) const = 0;
  // What an allocation or a variable holds now; valid until the memory changes or is asked again.
  virtual const unsigned char *contents(const Region &region) const = 0;
  virtual std::vector<CapturedVariable> variables() const = 0;
  virtual const unsigned char *variable_contents(std::size_t number) const = 0;
};

}  // namespace cuda_emu
