// CUB's algorithms for the whole device, by copies to the host and back: reductions, scans and sorts of
// device memory that plain pointers name. Sums of floats are added in order, where CUB's order is open.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "host_device_memory.h"

namespace cub {

using host_algorithms::Copy;

// Named in aliases that kernels use; kernels have functions of their own for them.
template <typename Element, int threads>
class BlockReduce;
template <typename Element, int threads>
class BlockScan;
template <typename Element, int lanes = 32>
class WarpReduce;
template <typename Element, int lanes = 32>
class WarpScan;

/// CUB is first asked how much room it needs.
inline bool asks(void* room, size_t& bytes)
{
    if (room == nullptr) {
        bytes = 1;
    }
    return room == nullptr;
}

struct DeviceReduce {
    template <typename Element, typename Out, typename Op, typename Init>
    static aclError Reduce(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, Op op, Init init,
        aclrtStream = nullptr)
    {
        if (asks(room, bytes)) {
            return ACL_SUCCESS;
        }
        Copy<std::remove_const_t<Element>> items(in, (size_t)count);
        Copy<Out> result(1);
        auto value = (std::decay_t<decltype(op(init, items[0]))>)init;
        for (int64_t i = 0; i < count; ++i) {
            value = op(value, items[(size_t)i]);
        }
        result[0] = (Out)value;
        result.store(out);
        return ACL_SUCCESS;
    }
    template <typename Element, typename Out>
    static aclError Sum(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, aclrtStream stream = nullptr)
    {
        using Item = std::remove_const_t<Element>;
        const auto add = [](Item a, Item b) { return (Item)(a + b); };
        return Reduce(room, bytes, in, out, count, add, Item(0), stream);
    }
    template <typename Element, typename Out>
    static aclError Min(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, aclrtStream stream = nullptr)
    {
        using Item = std::remove_const_t<Element>;
        const auto less = [](Item a, Item b) { return b < a ? b : a; };
        return Reduce(room, bytes, in, out, count, less, std::numeric_limits<Item>::max(), stream);
    }
    template <typename Element, typename Out>
    static aclError Max(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, aclrtStream stream = nullptr)
    {
        using Item = std::remove_const_t<Element>;
        const auto more = [](Item a, Item b) { return a < b ? b : a; };
        const Item least = std::numeric_limits<Item>::lowest();
        return Reduce(room, bytes, in, out, count, more, least, stream);
    }
};

struct DeviceScan {
    template <typename Element, typename Out, typename Op, typename Init>
    static aclError ExclusiveScan(
        void* room, size_t& bytes, Element* in, Out* out, Op op, Init init, int64_t count,
        aclrtStream = nullptr)
    {
        return scan(room, bytes, in, out, op, (std::remove_const_t<Element>)init, count, true, false);
    }
    template <typename Element, typename Out, typename Op>
    static aclError InclusiveScan(
        void* room, size_t& bytes, Element* in, Out* out, Op op, int64_t count, aclrtStream = nullptr)
    {
        return scan(room, bytes, in, out, op, std::remove_const_t<Element>(), count, false, true);
    }
    template <typename Element, typename Out>
    static aclError ExclusiveSum(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, aclrtStream stream = nullptr)
    {
        using Item = std::remove_const_t<Element>;
        const auto add = [](Item a, Item b) { return (Item)(a + b); };
        return ExclusiveScan(room, bytes, in, out, add, Item(0), count, stream);
    }
    template <typename Element, typename Out>
    static aclError InclusiveSum(
        void* room, size_t& bytes, Element* in, Out* out, int64_t count, aclrtStream stream = nullptr)
    {
        using Item = std::remove_const_t<Element>;
        return InclusiveScan(
            room, bytes, in, out, [](Item a, Item b) { return (Item)(a + b); }, count, stream);
    }

private:
    template <typename Element, typename Out, typename Op>
    static aclError scan(
        void* room, size_t& bytes, Element* in, Out* out, Op op, std::remove_const_t<Element> value,
        int64_t count, bool started, bool inclusive)
    {
        if (asks(room, bytes)) {
            return ACL_SUCCESS;
        }
        Copy<std::remove_const_t<Element>> items(in, (size_t)count);
        Copy<Out> result((size_t)count);
        for (size_t i = 0; i < (size_t)count; ++i) {
            const auto before = value;
            value = started ? op(value, items[i]) : items[i];
            started = true;
            result[i] = (Out)(inclusive ? value : before);
        }
        result.store(out);
        return ACL_SUCCESS;
    }
};

struct DeviceRadixSort {
    template <typename Key>
    static aclError SortKeys(
        void* room, size_t& bytes, const Key* in, Key* out, int64_t count, int first = 0,
        int last = sizeof(Key) * 8, aclrtStream = nullptr)
    {
        const char* const none = nullptr;
        return sort(room, bytes, in, out, none, (char*)nullptr, count, first, last, false);
    }
    template <typename Key>
    static aclError SortKeysDescending(
        void* room, size_t& bytes, const Key* in, Key* out, int64_t count, int first = 0,
        int last = sizeof(Key) * 8, aclrtStream = nullptr)
    {
        const char* const none = nullptr;
        return sort(room, bytes, in, out, none, (char*)nullptr, count, first, last, true);
    }
    template <typename Key, typename Value>
    static aclError SortPairs(
        void* room, size_t& bytes, const Key* in, Key* out, const Value* values, Value* sorted,
        int64_t count, int first = 0, int last = sizeof(Key) * 8, aclrtStream = nullptr)
    {
        return sort(room, bytes, in, out, values, sorted, count, first, last, false);
    }
    template <typename Key, typename Value>
    static aclError SortPairsDescending(
        void* room, size_t& bytes, const Key* in, Key* out, const Value* values, Value* sorted,
        int64_t count, int first = 0, int last = sizeof(Key) * 8, aclrtStream = nullptr)
    {
        return sort(room, bytes, in, out, values, sorted, count, first, last, true);
    }

private:
    /// The bits that a radix sort looks at: in the order of the numbers that they stand for.
    template <typename Key>
    static uint64_t digits(Key key, int first, int last)
    {
        static_assert(std::is_arithmetic<Key>::value, "keys are numbers");
        if (std::is_floating_point<Key>::value && key == Key(0)) {
            key = Key(0); // both zeros are the same key
        }
        uint64_t bits = 0;
        std::memcpy(&bits, &key, sizeof key);
        const uint64_t sign = 1ull << (sizeof key * 8 - 1);
        if (std::is_floating_point<Key>::value) {
            bits = (bits & sign) != 0 ? ~bits & (sign | (sign - 1)) : bits | sign;
        } else if (std::is_signed<Key>::value) {
            bits ^= sign;
        }
        const uint64_t above = last >= 64 ? ~0ull : (1ull << last) - 1;
        return (bits & above) >> first;
    }
    template <typename Key, typename Value>
    static aclError sort(
        void* room, size_t& bytes, const Key* in, Key* out, const Value* values, Value* sorted,
        int64_t count, int first, int last, bool down)
    {
        if (asks(room, bytes)) {
            return ACL_SUCCESS;
        }
        const size_t n = (size_t)count;
        Copy<Key> keys(in, n);
        Copy<Key> result(n);
        Copy<size_t> order(n);
        for (size_t i = 0; i < n; ++i) {
            order[i] = i;
        }
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            const uint64_t x = digits(keys[a], first, last), y = digits(keys[b], first, last);
            return down ? y < x : x < y;
        });
        for (size_t i = 0; i < n; ++i) {
            result[i] = keys[order[i]];
        }
        if (values != nullptr) {
            Copy<Value> before(values, n);
            Copy<Value> after(n);
            for (size_t i = 0; i < n; ++i) {
                after[i] = before[order[i]];
            }
            after.store(sorted);
        }
        result.store(out);
        return ACL_SUCCESS;
    }
};

} // namespace cub
