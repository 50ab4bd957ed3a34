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

template <typename Element>
class device_ptr;

/// One element of device memory: read and written by copies.
template <typename Element>
class device_reference {
public:
    explicit device_reference(Element* at) : at_(at) {}
    operator Element() const { return Copy<Element>(at_, 1)[0]; }
    device_reference& operator=(const Element& value)
    {
        Copy<Element> one(1);
        one[0] = value;
        one.store(at_);
        return *this;
    }
    device_reference& operator=(const device_reference& other) { return *this = (Element)other; }
    device_reference& operator+=(const Element& value) { return *this = (Element)((Element) * this + value); }

private:
    Element* at_;
};

template <typename Element>
class device_ptr {
public:
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<Element>;
    using pointer = device_ptr;
    using iterator_category = std::random_access_iterator_tag;
    device_ptr() = default;
    explicit device_ptr(Element* at) : at_(at) {}
    Element* get() const { return at_; }
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
    Element* at_ = nullptr;
};

template <typename Element>
Element* raw_pointer_cast(device_ptr<Element> p)
{
    return p.get();
}
template <typename Element>
Element* raw_pointer_cast(Element* p)
{
    return p;
}
template <typename Element>
device_ptr<Element> device_pointer_cast(Element* p)
{
    return device_ptr<Element>(p);
}

template <typename Element>
class device_vector;

template <typename Element>
class host_vector : public std::vector<Element> {
public:
    using std::vector<Element>::vector;
    host_vector(const device_vector<Element>& other) { *this = other; }
    host_vector& operator=(const device_vector<Element>& other)
    {
        Copy<Element> items(other.data().get(), other.size());
        this->assign(items.begin(), items.end());
        return *this;
    }
};

template <typename Element>
class device_vector {
public:
    using value_type = Element;
    using iterator = device_ptr<Element>;
    device_vector() = default;
    explicit device_vector(size_t count, const Element& value = Element()) { resize(count, value); }
    device_vector(const std::vector<Element>& other) { *this = other; }
    device_vector(const device_vector& other) { *this = other; }
    template <typename It, typename = typename std::iterator_traits<It>::iterator_category>
    device_vector(It first, It last)
    {
        *this = std::vector<Element>(first, last);
    }
    ~device_vector() { release(); }
    device_vector& operator=(const device_vector& other)
    {
        return *this = static_cast<const std::vector<Element>&>(host_vector<Element>(other));
    }
    device_vector& operator=(const std::vector<Element>& other)
    {
        Copy<Element> items(other.size());
        std::copy(other.begin(), other.end(), items.begin());
        release();
        allocate(other.size());
        items.store(at_);
        return *this;
    }
    void resize(size_t count, const Element& value = Element())
    {
        Copy<Element> old(at_, size_);
        Copy<Element> items(count);
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
    device_ptr<Element> data() const { return device_ptr<Element>(at_); }
    device_ptr<Element> begin() const { return data(); }
    device_ptr<Element> end() const { return data() + (std::ptrdiff_t)size_; }
    device_reference<Element> operator[](size_t i) const { return device_reference<Element>(at_ + i); }
    device_reference<Element> front() const { return (*this)[0]; }
    device_reference<Element> back() const { return (*this)[size_ - 1]; }
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
                aclrtMalloc(&got, count * sizeof(Element), ACL_MEM_MALLOC_HUGE_FIRST));
            at_ = (Element*)got;
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
    Element* at_ = nullptr;
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
template <typename Element>
struct DeviceRange {
    using Item = std::remove_const_t<Element>;
    DeviceRange(device_ptr<Element> first, size_t count) : at(first.get()), items(first.get(), count) {}
    Item* begin() { return items.begin(); }
    Item* end() { return items.end(); }
    void back() { items.store(const_cast<Item*>(at)); }
    Element* at;
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
template <typename Element>
DeviceRange<Element> range(device_ptr<Element> first, size_t count)
{
    return DeviceRange<Element>(first, count);
}
template <typename It>
HostRange<It> range(It first, size_t count)
{
    return HostRange<It>(first, count);
}
template <typename Element>
device_ptr<Element> placed(const device_policy&, Element* p)
{
    return device_ptr<Element>(p);
}
template <typename Policy, typename It>
It placed(const Policy&, It it)
{
    return it;
}
template <typename Element>
Element* unplaced(Element*, device_ptr<Element> p)
{
    return p.get();
}
template <typename It>
It unplaced(It, It it)
{
    return it;
}
template <typename Policy>
using IfPolicy = std::enable_if_t<
    std::is_same<Policy, device_policy>::value || std::is_same<Policy, host_policy>::value>;

template <typename Element = void> using plus = std::plus<Element>;
template <typename Element = void> using minus = std::minus<Element>;
template <typename Element = void> using multiplies = std::multiplies<Element>;
template <typename Element = void> using less = std::less<Element>;
template <typename Element = void> using greater = std::greater<Element>;
template <typename Element = void> using negate = std::negate<Element>;
template <typename Element = void> struct maximum {
    Element operator()(const Element& a, const Element& b) const { return a < b ? b : a; }
};
template <typename Element = void> struct minimum {
    Element operator()(const Element& a, const Element& b) const { return b < a ? b : a; }
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
template <typename It, typename Element, typename Op>
Element reduce(It first, It last, Element init, Op op)
{
    auto all = range(first, (size_t)(last - first));
    return std::accumulate(all.begin(), all.end(), init, op);
}
template <typename It, typename Element, typename Op, typename Join>
Element transform_reduce(It first, It last, Op op, Element init, Join join)
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
template <typename It, typename Out, typename Element, typename Op>
Out exclusive_scan(It first, It last, Out out, Element value, Op op)
{
    const size_t count = (size_t)(last - first);
    auto all = range(first, count);
    auto to = range(out, count);
    for (size_t i = 0; i < count; ++i) {
        const Element next = op(value, all.begin()[i]); // before a store: both may be one memory
        to.begin()[i] = value;
        value = next;
    }
    to.back();
    return out + (std::ptrdiff_t)count;
}
template <typename It, typename Element>
void fill(It first, It last, const Element& value)
{
    auto all = range(first, (size_t)(last - first));
    std::fill(all.begin(), all.end(), value);
    all.back();
}
template <typename It, typename Element>
void sequence(It first, It last, Element value)
{
    auto all = range(first, (size_t)(last - first));
    for (auto& item : all) {
        item = value;
        value = value + Element(1);
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
template <typename It, typename Element>
std::ptrdiff_t count(It first, It last, const Element& value)
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
template <typename Policy, typename It, typename = IfPolicy<Policy>>
void sort(const Policy& policy, It first, It last)
{
    thrust::stable_sort(placed(policy, first), placed(policy, last), std::less<>());
}
template <typename Policy, typename It, typename Less, typename = IfPolicy<Policy>>
void sort(const Policy& policy, It first, It last, Less less)
{
    thrust::stable_sort(placed(policy, first), placed(policy, last), less);
}
template <typename Keys, typename Values>
void sort_by_key(Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
template <typename Policy, typename Keys, typename Values, typename = IfPolicy<Policy>>
void sort_by_key(const Policy& policy, Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(
        placed(policy, first), placed(policy, last), placed(policy, values), std::less<>());
}
template <typename It>
auto reduce(It first, It last)
{
    using Element = typename std::iterator_traits<It>::value_type;
    return thrust::reduce(first, last, Element(0), std::plus<>());
}
template <typename It, typename Element>
Element reduce(It first, It last, Element init)
{
    return thrust::reduce(first, last, init, std::plus<>());
}
template <typename Policy, typename It, typename = IfPolicy<Policy>>
auto reduce(const Policy& policy, It first, It last)
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
    using Element = typename std::iterator_traits<It>::value_type;
    return thrust::exclusive_scan(first, last, out, Element(0), std::plus<>());
}
template <typename Policy, typename It, typename Out, typename = IfPolicy<Policy>>
Out exclusive_scan(const Policy& policy, It first, It last, Out out)
{
    const auto end = thrust::exclusive_scan(placed(policy, first), placed(policy, last), placed(policy, out));
    return unplaced(out, end);
}
template <typename It>
void sequence(It first, It last)
{
    thrust::sequence(first, last, typename std::iterator_traits<It>::value_type(0));
}
template <typename Policy, typename It, typename Element, typename = IfPolicy<Policy>>
void fill(const Policy& policy, It first, It last, const Element& value)
{
    thrust::fill(placed(policy, first), placed(policy, last), value);
}

} // namespace thrust
