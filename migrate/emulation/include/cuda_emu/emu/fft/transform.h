// Discrete Fourier transforms of any length, in double: mixed radix for small prime factors,
// Bluestein's algorithm for large ones.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace cuda_emu {

typedef std::complex<double> Wave;

inline Wave root_of_unity(std::uint64_t k, std::uint64_t n, int sign) {
  double angle = 6.283185307179586476925 * static_cast<double>(k % n) / static_cast<double>(n);
  return Wave(std::cos(angle), sign * std::sin(angle));
}

// One length: its factors and roots.
class Transform {
 public:
  Transform(std::size_t n, int sign) : n_(n), sign_(sign), roots_(n) {
    for (std::size_t k = 0; k < n; ++k) roots_[k] = root_of_unity(k, n, sign);
    std::size_t rest = n;
    for (std::size_t p = 2; rest > 1; ++p) {
      if (p * p > rest) p = rest;
      while (rest % p == 0) {
        factors_.push_back(p);
        rest /= p;
      }
    }
    if (!factors_.empty() && factors_.back() > 64) prepare_convolution();
  }

  void run(const Wave *in, Wave *out) const {
    if (chirp_.empty()) mixed(in, 1, out, n_, 0);
    else bluestein(in, out);
  }

 private:
  // out = DFT of n elements of `in` at a stride; `level` is the next factor.
  void mixed(const Wave *in, std::size_t step, Wave *out, std::size_t n, std::size_t level) const {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    std::size_t p = factors_[level], m = n / p, turn = n_ / n;
    for (std::size_t r = 0; r < p; ++r) mixed(in + r * step, step * p, out + r * m, m, level + 1);
    Wave parts[64];
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t r = 0; r < p; ++r) parts[r] = out[r * m + k] * roots_[r * k * turn % n_];
      for (std::size_t q = 0; q < p; ++q) {
        Wave sum = parts[0];
        if (p == 2) sum = q ? parts[0] - parts[1] : parts[0] + parts[1];
        else
          for (std::size_t r = 1; r < p; ++r) sum += parts[r] * roots_[r * q * m * turn % n_];
        out[q * m + k] = sum;
      }
    }
  }

  void prepare_convolution() {
    std::size_t size = 1;
    while (size < 2 * n_) size *= 2;
    chirp_.resize(n_);
    // k^2 modulo 2n keeps the angle exact.
    for (std::uint64_t k = 0; k < n_; ++k) chirp_[k] = root_of_unity(k * k % (2 * n_), 2 * n_, sign_);
    forward_ = std::make_shared<Transform>(size, -1);
    backward_ = std::make_shared<Transform>(size, 1);
    std::vector<Wave> filter(size, Wave(0));
    for (std::size_t k = 0; k < n_; ++k) filter[k] = filter[(size - k) % size] = std::conj(chirp_[k]);
    filter_.resize(size);
    forward_->run(filter.data(), filter_.data());
  }
  void bluestein(const Wave *in, Wave *out) const {
    std::size_t size = filter_.size();
    std::vector<Wave> a(size, Wave(0)), b(size);
    for (std::size_t k = 0; k < n_; ++k) a[k] = in[k] * chirp_[k];
    forward_->run(a.data(), b.data());
    for (std::size_t k = 0; k < size; ++k) b[k] *= filter_[k];
    backward_->run(b.data(), a.data());
    for (std::size_t k = 0; k < n_; ++k) out[k] = a[k] * chirp_[k] / static_cast<double>(size);
  }

  std::size_t n_;
  int sign_;
  std::vector<Wave> roots_, chirp_, filter_;
  std::vector<std::size_t> factors_;
  std::shared_ptr<Transform> forward_, backward_;
};

// All axes of a dense row-major array.
inline void transform_axes(std::vector<Wave> &data, const std::vector<std::size_t> &sizes, int sign) {
  std::size_t inner = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    std::size_t n = sizes[axis], outer = data.size() / (n * inner);
    Transform transform(n, sign);
    std::vector<Wave> line(n), done(n);
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < inner; ++i) {
        Wave *start = data.data() + o * n * inner + i;
        for (std::size_t k = 0; k < n; ++k) line[k] = start[k * inner];
        transform.run(line.data(), done.data());
        for (std::size_t k = 0; k < n; ++k) start[k * inner] = done[k];
      }
    inner *= n;
  }
}

}  // namespace cuda_emu
