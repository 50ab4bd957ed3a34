// The 16-bit float types of generated code. They differ from CUDA's own: a value becomes a float by
// itself, but nothing becomes a 16-bit float without a cast, and a double goes by way of a float
// (two roundings).
#pragma once

#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tilelang_emu {

template <class Native>
struct alignas(2) Narrow {
  Narrow() = default;
  explicit Narrow(Native value) : value_(value) {}
  explicit Narrow(float value) : value_(value) {}
  explicit Narrow(double value) : value_(static_cast<float>(value)) {}
  explicit Narrow(int value) : value_(from_integer(value)) {}
  explicit Narrow(unsigned value) : value_(from_integer(value)) {}

  operator float() const { return static_cast<float>(value_); }
  explicit operator double() const { return static_cast<float>(value_); }
  explicit operator int() const { return static_cast<int>(static_cast<float>(value_)); }
  explicit operator bool() const { return static_cast<float>(value_) != 0.0f; }
  Native native() const { return value_; }

  friend Narrow operator+(Narrow a, Narrow b) { return Narrow(__hadd(a.value_, b.value_)); }
  friend Narrow operator-(Narrow a, Narrow b) { return Narrow(__hsub(a.value_, b.value_)); }
  friend Narrow operator*(Narrow a, Narrow b) { return Narrow(__hmul(a.value_, b.value_)); }
  friend Narrow operator/(Narrow a, Narrow b) { return Narrow(__hdiv(a.value_, b.value_)); }
  friend Narrow operator-(Narrow a) { return Narrow(__hneg(a.value_)); }
  Narrow &operator+=(Narrow other) { return *this = *this + other; }
  Narrow &operator-=(Narrow other) { return *this = *this - other; }
  Narrow &operator*=(Narrow other) { return *this = *this * other; }
  Narrow &operator/=(Narrow other) { return *this = *this / other; }

 private:
  // An integer becomes a half in one rounding, a bfloat16 by way of a float.
  template <class Integer>
  static Native from_integer(Integer value) {
    if constexpr (std::is_same_v<Native, __half>) {
      return Native(static_cast<double>(value));
    } else {
      return Native(static_cast<float>(value));
    }
  }

  Native value_;
};

}  // namespace tilelang_emu
