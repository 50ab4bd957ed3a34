// Thrust's vectors in device memory and its algorithms on them, by copies to the host and back.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "host_device_memory.h"

namespace thrust {

using host_algorithms::Copy;

template <typename T>
class device_ptr;

/// One element of device memory: read and written by copies.
template <typename T>
class device_reference {
public:
    explicit device_reference(T* at) : at_(at) {}
    operator T() const { return Copy<T>(at_, 1)[0]; }
    device_reference& operator=(const T& value)
    {
        Copy<T> one(1);
        one[0] = value;
        one.store(at_);
        return *this;
    }
    device_reference& operator=(const device_reference& other) { return *this = (T)other; }
    device_reference& operator+=(const T& value) { return *this = (T)((T) * this + value); }

private:
    T* at_;
};

template <typename T>
class device_ptr {
public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<T>;
    using pointer = device_ptr;
    using iterator_category = std::random_access_iterator_tag;
    device_ptr() = default;
    explicit device_ptr(T* at) : at_(at) {}
    T* get() const { return at_; }
    reference operator*() const { return reference(at_); }
    reference operator[](std::ptrdiff_t i) const { return reference(at_ + i); }
    device_ptr operator+(std::ptrdiff_t n) const { return device_ptr(at_ + n); }
    device_ptr operator-(std::ptrdiff_t n) const { return device_ptr(at_ - n); }
    std::ptrdiff_t operator-(const device_ptr& other) const { return at_ - other.at_; }
    device_ptr& operator++() { return ++at_, *this; }
    device_ptr& operator+=(std::ptrdiff_t n) { return at_ += n, *this; }
    bool operator==(const device_ptr& other) const { return at_ == other.at_; }
    bool operator!=(const device_ptr& other) const { return at_ != other.at_; }

private:
    T* at_ = nullptr;
};

template <typename T>
T* raw_pointer_cast(device_ptr<T> p)
{
    return p.get();
}
template <typename T>
T* raw_pointer_cast(T* p)
{
    return p;
}
template <typename T>
device_ptr<T> device_pointer_cast(T* p)
{
    return device_ptr<T>(p);
}

template <typename T>
class device_vector;

template <typename T>
class host_vector : public std::vector<T> {
public:
    using std::vector<T>::vector;
    host_vector(const device_vector<T>& other) { *this = other; }
    host_vector& operator=(const device_vector<T>& other)
    {
        Copy<T> items(other.data().get(), other.size());
        this->assign(items.begin(), items.end());
        return *this;
    }
};

template <typename T>
class device_vector {
public:
    using value_type = T;
    using iterator = device_ptr<T>;
    device_vector() = default;
    explicit device_vector(size_t count, const T& value = T()) { resize(count, value); }
    device_vector(const std::vector<T>& other) { *this = other; }
    device_vector(const device_vector& other) { *this = other; }
    template <typename It, typename = typename std::iterator_traits<It>::iterator_category>
    device_vector(It first, It last)
    {
        *this = std::vector<T>(first, last);
    }
    ~device_vector() { release(); }
    device_vector& operator=(const device_vector& other)
    {
        return *this = static_cast<const std::vector<T>&>(host_vector<T>(other));
    }
    device_vector& operator=(const std::vector<T>& other)
    {
        Copy<T> items(other.size());
        std::copy(other.begin(), other.end(), items.begin());
        release();
        allocate(other.size());
        items.store(at_);
        return *this;
    }
    void resize(size_t count, const T& value = T())
    {
        Copy<T> old(at_, size_);
        Copy<T> items(count);
        for (size_t i = 0; i < count; ++i) {
            items[i] = i < size_ ? old[i] : value;
        }
        release();
        allocate(count);
        items.store(at_);
    }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void clear() { release(); }
    device_ptr<T> data() const { return device_ptr<T>(at_); }
    device_ptr<T> begin() const { return data(); }
    device_ptr<T> end() const { return data() + (std::ptrdiff_t)size_; }
    device_reference<T> operator[](size_t i) const { return device_reference<T>(at_ + i); }
    device_reference<T> front() const { return (*this)[0]; }
    device_reference<T> back() const { return (*this)[size_ - 1]; }
    void swap(device_vector& other)
    {
        std::swap(at_, other.at_);
        std::swap(size_, other.size_);
    }

private:
    void allocate(size_t count)
    {
        size_ = count;
        if (count > 0) {
            void* got = nullptr;
            host_algorithms::check(
                aclrtMalloc(&got, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
            at_ = (T*)got;
        }
    }
    void release()
    {
        if (at_ != nullptr) {
            aclrtSynchronizeDevice();
            aclrtFree(at_);
        }
        at_ = nullptr;
        size_ = 0;
    }
    T* at_ = nullptr;
    size_t size_ = 0;
};

/// A policy says where plain pointers lead: `device` to device memory, `host` and `seq` to the host's.
struct device_policy {
    template <typename Stream>
    device_policy on(Stream) const
    {
        return {};
    }
};
struct host_policy {};
constexpr device_policy device{};
constexpr host_policy host{}, seq{};
namespace cuda {
constexpr device_policy par{}, par_nosync{};
}

/// A range on the host: a copy of device memory that `back` stores, or the host's own memory.
template <typename T>
struct DeviceRange {
    using Item = std::remove_const_t<T>;
    DeviceRange(device_ptr<T> first, size_t count) : at(first.get()), items(first.get(), count) {}
    Item* begin() { return items.begin(); }
    Item* end() { return items.end(); }
    void back() { items.store(const_cast<Item*>(at)); }
    T* at;
    Copy<Item> items;
};
template <typename It>
struct HostRange {
    HostRange(It first, size_t count) : first(first), count(count) {}
    It begin() { return first; }
    It end() { return first + (std::ptrdiff_t)count; }
    void back() {}
    It first;
    size_t count;
};
template <typename T>
DeviceRange<T> range(device_ptr<T> first, size_t count)
{
    return DeviceRange<T>(first, count);
}
template <typename It>
HostRange<It> range(It first, size_t count)
{
    return HostRange<It>(first, count);
}
template <typename T>
device_ptr<T> placed(const device_policy&, T* p)
{
    return device_ptr<T>(p);
}
template <typename Policy, typename It>
It placed(const Policy&, It it)
{
    return it;
}
template <typename T>
T* unplaced(T*, device_ptr<T> p)
{
    return p.get();
}
template <typename It>
It unplaced(It, It it)
{
    return it;
}
template <typename P>
using IfPolicy = std::enable_if_t<
    std::is_same<P, device_policy>::value || std::is_same<P, host_policy>::value>;

template <typename T = void> using plus = std::plus<T>;
template <typename T = void> using minus = std::minus<T>;
template <typename T = void> using multiplies = std::multiplies<T>;
template <typename T = void> using less = std::less<T>;
template <typename T = void> using greater = std::greater<T>;
template <typename T = void> using negate = std::negate<T>;
template <typename T = void> struct maximum {
    T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <typename T = void> struct minimum {
    T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};

template <typename It, typename Less>
void stable_sort(It first, It last, Less less)
{
    auto all = range(first, (size_t)(last - first));
    std::stable_sort(all.begin(), all.end(), less);
    all.back();
}
template <typename It, typename = std::enable_if_t<!std::is_same<It, device_policy>::value>>
void stable_sort(It first, It last)
{
    thrust::stable_sort(first, last, std::less<>());
}
template <typename Keys, typename Values, typename Less>
void stable_sort_by_key(Keys first, Keys last, Values values, Less less)
{
    const size_t count = (size_t)(last - first);
    auto keys = range(first, count);
    auto items = range(values, count);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), (size_t)0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return less(keys.begin()[a], keys.begin()[b]);
    });
    const std::vector<typename std::iterator_traits<Keys>::value_type> k(keys.begin(), keys.end());
    const std::vector<typename std::iterator_traits<Values>::value_type> v(items.begin(), items.end());
    for (size_t i = 0; i < count; ++i) {
        keys.begin()[i] = k[order[i]];
        items.begin()[i] = v[order[i]];
    }
    keys.back();
    items.back();
}
template <typename It, typename T, typename Op>
T reduce(It first, It last, T init, Op op)
{
    auto all = range(first, (size_t)(last - first));
    return std::accumulate(all.begin(), all.end(), init, op);
}
template <typename It, typename T, typename Op, typename Join>
T transform_reduce(It first, It last, Op op, T init, Join join)
{
    auto all = range(first, (size_t)(last - first));
    for (const auto& item : all) {
        init = join(init, op(item));
    }
    return init;
}
template <typename It, typename Out, typename Op>
Out inclusive_scan(It first, It last, Out out, Op op)
{
    const size_t count = (size_t)(last - first);
    auto all = range(first, count);
    auto to = range(out, count);
    std::partial_sum(all.begin(), all.end(), to.begin(), op);
    to.back();
    return out + (std::ptrdiff_t)count;
}
template <typename It, typename Out, typename T, typename Op>
Out exclusive_scan(It first, It last, Out out, T value, Op op)
{
    const size_t count = (size_t)(last - first);
    auto all = range(first, count);
    auto to = range(out, count);
    for (size_t i = 0; i < count; ++i) {
        const T next = op(value, all.begin()[i]); // before a store: both may be one memory
        to.begin()[i] = value;
        value = next;
    }
    to.back();
    return out + (std::ptrdiff_t)count;
}
template <typename It, typename T>
void fill(It first, It last, const T& value)
{
    auto all = range(first, (size_t)(last - first));
    std::fill(all.begin(), all.end(), value);
    all.back();
}
template <typename It, typename T>
void sequence(It first, It last, T value)
{
    auto all = range(first, (size_t)(last - first));
    for (auto& item : all) {
        item = value;
        value = value + T(1);
    }
    all.back();
}
template <typename It, typename Out>
Out copy(It first, It last, Out out)
{
    const size_t count = (size_t)(last - first);
    auto all = range(first, count);
    auto to = range(out, count);
    std::copy(all.begin(), all.end(), to.begin());
    to.back();
    return out + (std::ptrdiff_t)count;
}
template <typename It, typename Out, typename Op>
Out transform(It first, It last, Out out, Op op)
{
    const size_t count = (size_t)(last - first);
    auto all = range(first, count);
    auto to = range(out, count);
    std::transform(all.begin(), all.end(), to.begin(), op);
    to.back();
    return out + (std::ptrdiff_t)count;
}
template <typename It, typename T>
std::ptrdiff_t count(It first, It last, const T& value)
{
    auto all = range(first, (size_t)(last - first));
    return std::count(all.begin(), all.end(), value);
}
template <typename It>
It max_element(It first, It last)
{
    auto all = range(first, (size_t)(last - first));
    return first + (std::max_element(all.begin(), all.end()) - all.begin());
}
template <typename It>
It min_element(It first, It last)
{
    auto all = range(first, (size_t)(last - first));
    return first + (std::min_element(all.begin(), all.end()) - all.begin());
}

// Forms with fewer arguments, and with a policy in front.
template <typename It, typename Less>
void sort(It first, It last, Less less)
{
    thrust::stable_sort(first, last, less);
}
template <typename It, typename = std::enable_if_t<!std::is_empty<It>::value>>
void sort(It first, It last)
{
    thrust::stable_sort(first, last, std::less<>());
}
template <typename P, typename It, typename = IfPolicy<P>>
void sort(const P& policy, It first, It last)
{
    thrust::stable_sort(placed(policy, first), placed(policy, last), std::less<>());
}
template <typename P, typename It, typename Less, typename = IfPolicy<P>>
void sort(const P& policy, It first, It last, Less less)
{
    thrust::stable_sort(placed(policy, first), placed(policy, last), less);
}
template <typename Keys, typename Values>
void sort_by_key(Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <typename P, typename Keys, typename Values, typename = IfPolicy<P>>
void sort_by_key(const P& policy, Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(
        placed(policy, first), placed(policy, last), placed(policy, values), std::less<>());
}
template <typename It>
auto reduce(It first, It last)
{
    using T = typename std::iterator_traits<It>::value_type;
    return thrust::reduce(first, last, T(0), std::plus<>());
}
template <typename It, typename T>
T reduce(It first, It last, T init)
{
    return thrust::reduce(first, last, init, std::plus<>());
}
template <typename P, typename It, typename = IfPolicy<P>>
auto reduce(const P& policy, It first, It last)
{
    return thrust::reduce(placed(policy, first), placed(policy, last));
}
template <typename It, typename Out>
Out inclusive_scan(It first, It last, Out out)
{
    return thrust::inclusive_scan(first, last, out, std::plus<>());
}
template <typename It, typename Out>
Out exclusive_scan(It first, It last, Out out)
{
    using T = typename std::iterator_traits<It>::value_type;
    return thrust::exclusive_scan(first, last, out, T(0), std::plus<>());
}
template <typename P, typename It, typename Out, typename = IfPolicy<P>>
Out exclusive_scan(const P& policy, It first, It last, Out out)
{
    const auto end = thrust::exclusive_scan(placed(policy, first), placed(policy, last), placed(policy, out));
    return unplaced(out, end);
}
template <typename It>
void sequence(It first, It last)
{
    thrust::sequence(first, last, typename std::iterator_traits<It>::value_type(0));
}
template <typename P, typename It, typename T, typename = IfPolicy<P>>
void fill(const P& policy, It first, It last, const T& value)
{
    thrust::fill(placed(policy, first), placed(policy, last), value);
}

} // namespace thrust
