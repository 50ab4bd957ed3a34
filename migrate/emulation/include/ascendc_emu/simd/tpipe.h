// TPipe, TQue, TQueBind and TBuf: division of UB and the queue discipline Alloc -> EnQue -> DeQue -> Free.
#pragma once

#include <deque>

#include "sync.h"

namespace AscendC {

namespace emu {

constexpr bool in_ub(TPosition p) { return p == TPosition::VECIN || p == TPosition::VECOUT || p == TPosition::VECCALC; }

/// Pipe that fills a buffer at `src` and the one that empties it at `dst`.
constexpr ascendc_emu::Slot producer(TPosition src)
{
    return src == TPosition::GM || src == TPosition::VECIN ? ascendc_emu::kSlotMte2 : ascendc_emu::kSlotV;
}
constexpr ascendc_emu::Slot consumer(TPosition dst)
{
    return dst == TPosition::GM || dst == TPosition::VECOUT ? ascendc_emu::kSlotMte3 : ascendc_emu::kSlotV;
}

} // namespace emu

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

/// A queue whose buffers are filled at `src` and emptied at `dst`; `depth` tensors may wait in it.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(emu::in_ub(src) || src == TPosition::GM, "ascendc_emu emulates queues in UB only (VECIN, VECOUT, VECCALC)");
    static_assert(emu::in_ub(dst) || dst == TPosition::GM, "ascendc_emu emulates queues in UB only (VECIN, VECOUT, VECCALC)");
    using Buffer = ascendc_emu::Buffer;

public:
    template <class T>
    LocalTensor<T> AllocTensor(Loc loc = Loc::here())
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        if (buffers_.empty()) ascendc_emu::violation("queue-uninitialised", loc, "AllocTensor from a queue without InitBuffer");
        for (size_t i = 0; i < buffers_.size(); ++i) {
            Buffer* b = buffers_[(next_ + i) % buffers_.size()];
            if (b->state != Buffer::State::Free) continue;
            next_ = (next_ + i + 1) % buffers_.size();
            b->state = Buffer::State::Allocated;
            ++b->generation;
            c.tracker.learn(kProducer, b->handed);
            return LocalTensor<T>(b, src, b->at, b->at + b->bytes, length_ / static_cast<uint32_t>(sizeof(T)));
        }
        ascendc_emu::violation("queue-no-free-buffer", loc, "AllocTensor: all %zu buffers of the queue are in use (FreeTensor missing?)", buffers_.size());
    }
    template <class T>
    void AllocTensor(LocalTensor<T>& tensor, Loc loc = Loc::here())
    {
        tensor = AllocTensor<T>(loc);
    }
    template <class T>
    bool EnQue(const LocalTensor<T>& tensor, Loc loc = Loc::here())
    {
        Buffer* b = own(tensor, "EnQue", loc);
        if (b->state != Buffer::State::Allocated && b->state != Buffer::State::Dequeued) {
            ascendc_emu::violation("queue-enque-state", loc, "EnQue of a tensor that %s", b->state == Buffer::State::Queued ? "is in the queue already" : "was freed");
        }
        if (static_cast<int64_t>(waiting_.size()) >= (depth > 0 ? depth : 1)) {
            ascendc_emu::violation("queue-depth", loc, "EnQue: the queue has depth %d and %zu tensors wait in it", depth, waiting_.size());
        }
        b->state = Buffer::State::Queued;
        b->handed = ascendc_emu::core(loc).tracker.snapshot(kProducer);
        waiting_.push_back(b);
        return true;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, class T>
    bool EnQue(const LocalTensor<T>& tensor, Loc loc = Loc::here())
    {
        Buffer* b = own(tensor, "EnQue", loc);
        b->state = Buffer::State::Queued;
        b->handed = ascendc_emu::core(loc).tracker.snapshot(emu::producer(srcUserPos));
        waiting_.push_back(b);
        return true;
    }
    template <class T>
    LocalTensor<T> DeQue(Loc loc = Loc::here())
    {
        return take<T>(kConsumer, loc);
    }
    template <TPosition srcUserPos, TPosition dstUserPos, class T>
    LocalTensor<T> DeQue(Loc loc = Loc::here())
    {
        return take<T>(emu::consumer(dstUserPos), loc);
    }
    template <class T>
    void DeQue(LocalTensor<T>& tensor, Loc loc = Loc::here())
    {
        tensor = DeQue<T>(loc);
    }
    template <class T>
    void FreeTensor(const LocalTensor<T>& tensor, Loc loc = Loc::here())
    {
        Buffer* b = own(tensor, "FreeTensor", loc);
        if (b->state == Buffer::State::Free || b->generation != tensor.generation()) {
            ascendc_emu::violation("queue-double-free", loc, "FreeTensor of a tensor that was freed already");
        }
        if (b->state == Buffer::State::Queued) {
            ascendc_emu::violation("queue-free-queued", loc, "FreeTensor of a tensor that waits in the queue (DeQue missing)");
        }
        const Buffer::State was = b->state;
        b->state = Buffer::State::Free;
        b->handed = ascendc_emu::core(loc).tracker.snapshot(was == Buffer::State::Dequeued ? kConsumer : kProducer);
    }
    bool VacantInQue() const { return static_cast<int64_t>(waiting_.size()) < depth; }
    bool HasTensorInQue() const { return !waiting_.empty(); }
    int32_t GetTensorCountInQue() const { return static_cast<int32_t>(waiting_.size()); }
    bool HasIdleBuffer() const
    {
        for (const Buffer* b : buffers_) {
            if (b->state == Buffer::State::Free) return true;
        }
        return false;
    }
    void FreeAllEvent() {}

    void emu_init(uint32_t count, uint32_t bytes, Loc loc)
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        if (bytes == 0 || count == 0) ascendc_emu::violation("queue-empty-buffer", loc, "InitBuffer of a queue with %u buffers of %u bytes", count, bytes);
        buffers_.clear();
        waiting_.clear();
        next_ = 0;
        for (uint32_t i = 0; i < count; ++i) {
            Buffer* b = c.make_buffer(bytes, this, loc);
            b->state = Buffer::State::Free;
            buffers_.push_back(b);
        }
        length_ = (bytes + 31) / 32 * 32;
    }

private:
    static constexpr ascendc_emu::Slot kProducer = emu::producer(src);
    static constexpr ascendc_emu::Slot kConsumer = emu::consumer(dst);

    template <class T>
    Buffer* own(const LocalTensor<T>& tensor, const char* call, Loc loc) const
    {
        Buffer* b = tensor.buffer();
        if (b != nullptr) {
            for (const Buffer* mine : buffers_) {
                if (mine == b) return b;
            }
        }
        ascendc_emu::violation("queue-foreign-tensor", loc, "%s of a tensor that this queue did not allocate", call);
    }
    template <class T>
    LocalTensor<T> take(ascendc_emu::Slot to, Loc loc)
    {
        if (waiting_.empty()) ascendc_emu::violation("queue-deque-empty", loc, "DeQue from an empty queue (deadlock)");
        Buffer* b = waiting_.front();
        waiting_.pop_front();
        b->state = Buffer::State::Dequeued;
        ascendc_emu::core(loc).tracker.learn(to, b->handed);
        return LocalTensor<T>(b, dst, b->at, b->at + b->bytes, length_ / static_cast<uint32_t>(sizeof(T)));
    }

    std::vector<Buffer*> buffers_;
    std::deque<Buffer*> waiting_;
    size_t next_ = 0;
    uint32_t length_ = 0;
};

namespace emu {
constexpr TPosition queue_source(TPosition p) { return p == TPosition::VECIN ? TPosition::GM : p; }
constexpr TPosition queue_target(TPosition p) { return p == TPosition::VECOUT ? TPosition::GM : p; }
} // namespace emu

/// VECIN: filled from GM, read by the vector unit. VECOUT: written by the vector unit, copied to GM.
template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<emu::queue_source(pos), emu::queue_target(pos), depth, mask> {
};

/// A plain range of UB. Carries no synchronisation.
template <TPosition pos = TPosition::VECCALC>
class TBuf {
    static_assert(emu::in_ub(pos), "ascendc_emu emulates buffers in UB only (VECIN, VECOUT, VECCALC)");

public:
    template <class T>
    LocalTensor<T> Get(Loc loc = Loc::here())
    {
        need(loc);
        return LocalTensor<T>(buffer_, pos, buffer_->at, buffer_->at + buffer_->bytes, buffer_->bytes / static_cast<uint32_t>(sizeof(T)));
    }
    template <class T>
    LocalTensor<T> Get(uint32_t elements, Loc loc = Loc::here())
    {
        return GetWithOffset<T>(elements, 0, loc);
    }
    template <class T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t byte_offset, Loc loc = Loc::here())
    {
        need(loc);
        if (byte_offset % 32 != 0) ascendc_emu::violation("ub-alignment", loc, "GetWithOffset: offset %u is no multiple of 32 bytes", byte_offset);
        if (byte_offset + static_cast<uint64_t>(elements) * sizeof(T) > buffer_->bytes) {
            ascendc_emu::violation("ub-out-of-bounds", loc, "%u elements at byte %u of a TBuf of %u bytes", elements, byte_offset, buffer_->bytes);
        }
        return LocalTensor<T>(buffer_, pos, buffer_->at + byte_offset, buffer_->at + buffer_->bytes, elements);
    }
    template <class T>
    LocalTensor<T> AllocTensor(Loc loc = Loc::here())
    {
        return Get<T>(loc);
    }
    template <class T>
    void FreeTensor(const LocalTensor<T>&)
    {
    }
    void emu_init(uint32_t bytes, Loc loc)
    {
        if (bytes == 0) ascendc_emu::violation("queue-empty-buffer", loc, "InitBuffer of a TBuf with 0 bytes");
        buffer_ = ascendc_emu::core(loc).make_buffer(bytes, this, loc);
    }

private:
    void need(Loc loc) const
    {
        if (buffer_ == nullptr) ascendc_emu::violation("queue-uninitialised", loc, "Get from a TBuf without InitBuffer");
    }
    ascendc_emu::Buffer* buffer_ = nullptr;
};

/// Divides UB among queues and buffers and hands out event ids. One per kernel.
class TPipe {
public:
    TPipe(Loc loc = Loc::here()) { Init(loc); }
    ~TPipe()
    {
        if (ascendc_emu::tl_core != nullptr && ascendc_emu::tl_core->pipe == this) ascendc_emu::tl_core->pipe = nullptr;
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init(Loc loc = Loc::here())
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        c.pipe = this;
    }
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, uint8_t count, uint32_t bytes, Loc loc = Loc::here())
    {
        queue.emu_init(count, bytes, loc);
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buffer, uint32_t bytes, Loc loc = Loc::here())
    {
        buffer.emu_init(bytes, loc);
        return true;
    }
    /// Ends the use of all buffers; waits for all pipes.
    void Reset(Loc loc = Loc::here())
    {
        ascendc_emu::Core& c = ascendc_emu::core(loc);
        c.barrier_all();
        for (auto& b : c.buffers) {
            if (b->state == ascendc_emu::Buffer::State::Queued) {
                ascendc_emu::violation("queue-not-empty", loc, "TPipe::Reset with a tensor waiting in a queue");
            }
        }
        c.check_marks();
        c.ub_top = c.ub_asked = 0;
    }
    void Destroy(Loc loc = Loc::here()) { Reset(loc); }

    template <HardEvent event>
    TEventID AllocEventID(Loc loc = Loc::here())
    {
        uint32_t& used = ascendc_emu::core(loc).event_ids[static_cast<uint32_t>(event)];
        const TEventID id = first_free(used, loc);
        used |= 1u << id;
        return id;
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id, Loc loc = Loc::here())
    {
        uint32_t& used = ascendc_emu::core(loc).event_ids[static_cast<uint32_t>(event)];
        if (id < 0 || id >= 8 || (used >> id & 1) == 0) ascendc_emu::violation("flag-id", loc, "ReleaseEventID of id %d, which AllocEventID did not give", id);
        used &= ~(1u << id);
    }
    template <HardEvent event>
    TEventID FetchEventID(Loc loc = Loc::here())
    {
        return FetchEventID(event, loc);
    }
    TEventID FetchEventID(HardEvent event, Loc loc = Loc::here())
    {
        return first_free(ascendc_emu::core(loc).event_ids[static_cast<uint32_t>(event)], loc);
    }

private:
    static TEventID first_free(uint32_t used, Loc loc)
    {
        for (TEventID id = 0; id < static_cast<TEventID>(ascendc_emu::kEventIds); ++id) {
            if ((used >> id & 1) == 0) return id;
        }
        ascendc_emu::violation("flag-id", loc, "all %u event ids of this pair of pipes are in use", ascendc_emu::kEventIds);
    }
};

inline TPipe* GetTPipePtr(Loc loc = Loc::here())
{
    TPipe* p = static_cast<TPipe*>(ascendc_emu::core(loc).pipe);
    if (p == nullptr) ascendc_emu::violation("no-tpipe", loc, "GetTPipePtr without a TPipe in the kernel");
    return p;
}

} // namespace AscendC

using AscendC::GetTPipePtr;
