// GlobalTensor and LocalTensor: typed views of device memory and of UB.
#pragma once

#include <cstdio>
#include <type_traits>

#include "core.h"
#include "types.h"

namespace AscendC {

using ascendc_emu::Loc;

template <class T>
struct PrimOf {
    using Type = T;
};
template <class T>
using PrimT = typename PrimOf<T>::Type;

/// View of device memory, optionally with a length in elements that no access may pass.
template <class T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size)
    {
        base_ = buffer;
        size_ = size;
        bounded_ = true;
    }
    void SetGlobalBuffer(__gm__ T* buffer)
    {
        base_ = buffer;
        size_ = 0;
        bounded_ = false;
    }
    __gm__ T* GetPhyAddr() const { return base_; }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return base_ + offset; }

    T GetValue(uint64_t offset, Loc loc = Loc::here()) const
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
        const T* p = range(offset, 1, "GetValue", loc);
        c.gm.read(p, sizeof(T), ascendc_emu::kSlotS, seq, c.tracker, loc);
        return *p;
    }
    T& operator()(uint64_t offset) const { return *range(offset, 1, "scalar access", Loc{"operator()", 0}); }
    void SetValue(uint64_t offset, T value, Loc loc = Loc::here()) const
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
        T* p = range(offset, 1, "SetValue", loc);
        c.gm.write(p, sizeof(T), ascendc_emu::kSlotS, seq, c.tracker, loc);
        *p = value;
    }
    uint64_t GetSize() const { return size_; }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor t = *this;
        t.base_ = base_ + offset;
        t.size_ = bounded_ && offset < size_ ? size_ - offset : 0;
        return t;
    }
    template <class U>
    GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> t;
        if (bounded_) {
            t.SetGlobalBuffer(reinterpret_cast<U*>(base_), size_ * sizeof(T) / sizeof(U));
        } else {
            t.SetGlobalBuffer(reinterpret_cast<U*>(base_));
        }
        return t;
    }
    template <CacheRwMode rwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode)
    {
    }

    /// Address of elements [offset, offset+count), after checking the view's length and the allocation.
    T* range(uint64_t offset, uint64_t count, const char* what, Loc loc) const
    {
        return reinterpret_cast<T*>(bytes(offset * sizeof(T), count * sizeof(T), what, loc));
    }
    uint8_t* bytes(uint64_t at, uint64_t length, const char* what, Loc loc) const
    {
        if (bounded_ && at + length > size_ * sizeof(T)) {
            ascendc_emu::violation("gm-tensor-range", loc, "%s of bytes [%llu, %llu) of a GlobalTensor of %llu bytes", what,
                                   static_cast<unsigned long long>(at), static_cast<unsigned long long>(at + length),
                                   static_cast<unsigned long long>(size_ * sizeof(T)));
        }
        uint8_t* p = reinterpret_cast<uint8_t*>(base_) + at;
        if (length != 0) ascendc_emu::core(loc).check_gm(p, length, what, loc);
        return p;
    }

private:
    T* base_ = nullptr;
    uint64_t size_ = 0;
    bool bounded_ = false;
};

/// Typed view of a range of UB. Copies share the range. Never owns memory.
template <class T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    /// A view of a fixed range, as used without TPipe: position, byte address in UB, number of elements.
    LocalTensor(TPosition position, uint32_t address, uint32_t elements) : position_(position), at_(address), size_(elements)
    {
        limit_ = address + elements * static_cast<uint32_t>(sizeof(T));
        if (limit_ > ascendc_emu::kUbBytes) {
            ascendc_emu::violation("ub-capacity", Loc{"LocalTensor", 0}, "a LocalTensor ends at byte %u of UB, which has %u", limit_, ascendc_emu::kUbBytes);
        }
    }
    explicit LocalTensor(uint32_t address) : at_(address), limit_(ascendc_emu::kUbUsable) {}

    LocalTensor(ascendc_emu::Buffer* buffer, TPosition position, uint32_t at, uint32_t limit, uint32_t elements)
        : buffer_(buffer), generation_(buffer != nullptr ? buffer->generation : 0), position_(position), at_(at), limit_(limit), size_(elements)
    {
    }

    T GetValue(uint32_t offset, Loc loc = Loc::here()) const
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
        T value;
        memcpy(&value, read(c, offset * sizeof(T), sizeof(T), ascendc_emu::kSlotS, seq, loc), sizeof(T));
        return value;
    }
    template <class S>
    void SetValue(uint32_t offset, S value, Loc loc = Loc::here()) const
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
        const T converted = static_cast<T>(value);
        memcpy(write(c, offset * sizeof(T), sizeof(T), ascendc_emu::kSlotS, seq, loc), &converted, sizeof(T));
    }
    /// Reference for scalar reads and writes; counts as both for the order of accesses.
    T& operator()(uint32_t offset) const
    {
        const Loc loc{"operator()", 0};
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
        return *reinterpret_cast<T*>(write(c, offset * sizeof(T), sizeof(T), ascendc_emu::kSlotS, seq, loc));
    }
    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor t = *this;
        t.at_ += offset * static_cast<uint32_t>(sizeof(T));
        t.size_ = offset < size_ ? size_ - offset : 0;
        return t;
    }
    template <class U>
    LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> t(buffer_, position_, at_, limit_, static_cast<uint32_t>(static_cast<uint64_t>(size_) * sizeof(T) / sizeof(U)));
        t.adopt_generation(generation_);
        return t;
    }
    T* GetPhyAddr() const
    {
        ascendc_emu::Core& c = ascendc_emu::core(Loc{"GetPhyAddr", 0});
        c.raw_access = true;
        return reinterpret_cast<T*>(c.ub.get() + at_);
    }
    T* GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + offset; }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    void SetSize(uint32_t elements) { size_ = elements; }
    uint32_t GetSize() const { return size_; }
    uint32_t GetLength() const { return size_ * static_cast<uint32_t>(sizeof(T)); }
    void SetBufferLen(uint32_t) {}
    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }

    // --- used by the emulated instructions ---
    ascendc_emu::Buffer* buffer() const { return buffer_; }
    uint32_t generation() const { return generation_; }
    void adopt_generation(uint32_t g) { generation_ = g; }
    uint32_t address() const { return at_; }
    uint32_t limit() const { return limit_; }

    /// Checks the range and the order of a read; returns its address.
    const uint8_t* read(ascendc_emu::Core& c, uint64_t byte, uint64_t length, ascendc_emu::Slot pipe, uint32_t seq, Loc loc) const
    {
        check(byte, length, "read", loc);
        c.tracker.read(at_ + static_cast<uint32_t>(byte), static_cast<uint32_t>(length), pipe, seq, loc);
        return c.ub.get() + at_ + byte;
    }
    uint8_t* write(ascendc_emu::Core& c, uint64_t byte, uint64_t length, ascendc_emu::Slot pipe, uint32_t seq, Loc loc) const
    {
        check(byte, length, "write", loc);
        c.tracker.write(at_ + static_cast<uint32_t>(byte), static_cast<uint32_t>(length), pipe, seq, loc);
        return c.ub.get() + at_ + byte;
    }
    void check(uint64_t byte, uint64_t length, const char* what, Loc loc) const
    {
        using State = ascendc_emu::Buffer::State;
        if (limit_ == 0) ascendc_emu::violation("ub-unallocated", loc, "%s of a LocalTensor that has no buffer", what);
        if (at_ + byte + length > limit_) {
            ascendc_emu::violation("ub-out-of-bounds", loc, "%s of bytes [%llu, %llu) of a buffer that ends at byte %u of UB", what,
                                   static_cast<unsigned long long>(at_ + byte), static_cast<unsigned long long>(at_ + byte + length), limit_);
        }
        if (buffer_ != nullptr && buffer_->state != State::Plain &&
            (buffer_->state == State::Free || buffer_->generation != generation_)) {
            ascendc_emu::violation("queue-use-after-free", loc, "%s of a tensor after FreeTensor", what);
        }
    }
    /// UB operands of vector and copy instructions start at a multiple of 32 bytes.
    void check_aligned(const char* api, const char* operand, Loc loc) const
    {
        if (at_ % 32 != 0) {
            ascendc_emu::violation("ub-alignment", loc, "%s: %s is at UB byte %u, which is no multiple of 32", api, operand, at_);
        }
    }

private:
    ascendc_emu::Buffer* buffer_ = nullptr;
    uint32_t generation_ = 0;
    TPosition position_ = TPosition::VECCALC;
    uint32_t at_ = 0;
    uint32_t limit_ = 0; // end of the buffer in UB; 0 = no buffer
    uint32_t size_ = 0;
    TTagType tag_ = 0;
};

/// Hands out UB without TPipe, from address 0 upwards.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard == Hardware::UB, "ascendc_emu emulates the vector unit only: Hardware::UB");

public:
    uint32_t GetCurAddr() const { return head_; }
    template <TPosition pos, class T, uint32_t n>
    LocalTensor<T> Alloc(Loc loc = Loc::here())
    {
        return take<T>(pos, n, loc);
    }
    template <TPosition pos, class T>
    LocalTensor<T> Alloc(uint32_t n, Loc loc = Loc::here())
    {
        return take<T>(pos, n, loc);
    }
    template <class T, uint32_t n>
    LocalTensor<T> Alloc(Loc loc = Loc::here())
    {
        return take<T>(TPosition::VECCALC, n, loc);
    }
    template <class T>
    LocalTensor<T> Alloc(uint32_t n, Loc loc = Loc::here())
    {
        return take<T>(TPosition::VECCALC, n, loc);
    }

private:
    template <class T>
    LocalTensor<T> take(TPosition pos, uint32_t n, Loc loc)
    {
        const uint64_t bytes = (static_cast<uint64_t>(n) * sizeof(T) + 31) / 32 * 32;
        if (head_ + bytes > ascendc_emu::kUbUsable) {
            ascendc_emu::violation("ub-capacity", loc, "%llu bytes asked for with %u of %u usable bytes of UB taken",
                                   static_cast<unsigned long long>(bytes), head_, ascendc_emu::kUbUsable);
        }
        const uint32_t at = head_;
        head_ += static_cast<uint32_t>(bytes);
        return LocalTensor<T>(nullptr, pos, at, head_, n);
    }
    uint32_t head_ = 0;
};

} // namespace AscendC
