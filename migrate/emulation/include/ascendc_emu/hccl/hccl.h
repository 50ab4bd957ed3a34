// HCCL in one process: an operation runs when every rank of its communicator has posted it.
#pragma once

#include <map>
#include <vector>

#include "hccl_types.h"

namespace ascendc_emu {
namespace hccl {

enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter, Send, Recv };

/// What one rank posted. `peer` is the root, or the other side of a send or receive.
struct Post {
    Kind kind;
    const void* from;
    void* to;
    uint64_t count;
    HcclDataType type;
    HcclReduceOp op;
    uint32_t peer;
    void* stream;
};

/// Ranks that communicate; `posted[r]` are the operations of rank r that wait for the others.
struct Clique {
    std::vector<std::vector<Post>> posted;
};

struct Rank {
    Clique* clique;
    uint32_t rank;
};

inline size_t size_of(HcclDataType type)
{
    switch (type) {
        case HCCL_DATA_TYPE_INT8:
        case HCCL_DATA_TYPE_UINT8: return 1;
        case HCCL_DATA_TYPE_INT16:
        case HCCL_DATA_TYPE_UINT16:
        case HCCL_DATA_TYPE_FP16:
        case HCCL_DATA_TYPE_BFP16: return 2;
        case HCCL_DATA_TYPE_INT32:
        case HCCL_DATA_TYPE_UINT32:
        case HCCL_DATA_TYPE_FP32: return 4;
        default: return 8;
    }
}

template <class T>
T joined(T a, T b, HcclReduceOp op)
{
    switch (op) {
        case HCCL_REDUCE_SUM: return static_cast<T>(a + b);
        case HCCL_REDUCE_PROD: return static_cast<T>(a * b);
        case HCCL_REDUCE_MAX: return a < b ? b : a;
        default: return b < a ? b : a;
    }
}

/// `to[i] = op over ranks of from[r][i]`, in the order of the ranks.
template <class T>
void reduce_as(std::vector<char>& to, const std::vector<const void*>& from, uint64_t count, HcclReduceOp op)
{
    to.resize(count * sizeof(T));
    T* const out = reinterpret_cast<T*>(to.data());
    for (uint64_t i = 0; i < count; ++i) {
        T value = static_cast<const T*>(from[0])[i];
        for (size_t r = 1; r < from.size(); ++r) value = joined(value, static_cast<const T*>(from[r])[i], op);
        out[i] = value;
    }
}

inline bool reduce(std::vector<char>& to, const std::vector<const void*>& from, uint64_t count, HcclDataType type, HcclReduceOp op)
{
    switch (type) {
        case HCCL_DATA_TYPE_INT8: reduce_as<int8_t>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_INT32: reduce_as<int32_t>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_INT64: reduce_as<int64_t>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_INT16: reduce_as<int16_t>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_FP32: reduce_as<float>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_UINT8: reduce_as<uint8_t>(to, from, count, op); return true;
        case HCCL_DATA_TYPE_UINT64: reduce_as<uint64_t>(to, from, count, op); return true;
        default: return false; // the vendor reduces no other types but fp16 and bf16, which are not modelled
    }
}

/// Runs the collective that all ranks have at the front of their queues.
inline HcclResult run_collective(Clique& c)
{
    std::vector<Post> posts;
    for (auto& queue : c.posted) {
        posts.push_back(queue.front());
        queue.erase(queue.begin());
    }
    const Post& first = posts.front();
    const size_t ranks = posts.size(), bytes = first.count * size_of(first.type);
    std::vector<const void*> inputs;
    for (const Post& p : posts) {
        if (p.kind != first.kind || p.count != first.count || p.type != first.type) return HCCL_E_PARA;
        inputs.push_back(p.from);
    }
    std::vector<char> result;
    switch (first.kind) {
        case Kind::AllReduce:
        case Kind::Reduce:
            if (!reduce(result, inputs, first.count, first.type, first.op)) return HCCL_E_NOT_SUPPORT;
            for (size_t r = 0; r < ranks; ++r) {
                if (first.kind == Kind::AllReduce || r == first.peer) memcpy(posts[r].to, result.data(), bytes);
            }
            break;
        case Kind::ReduceScatter:
            if (!reduce(result, inputs, first.count * ranks, first.type, first.op)) return HCCL_E_NOT_SUPPORT;
            for (size_t r = 0; r < ranks; ++r) memcpy(posts[r].to, result.data() + r * bytes, bytes);
            break;
        case Kind::Broadcast:
            for (size_t r = 0; r < ranks; ++r) memmove(posts[r].to, posts[first.peer].from, bytes);
            break;
        case Kind::AllGather:
            result.resize(ranks * bytes);
            for (size_t r = 0; r < ranks; ++r) memcpy(result.data() + r * bytes, posts[r].from, bytes);
            for (const Post& p : posts) memcpy(p.to, result.data(), result.size());
            break;
        default: return HCCL_E_INTERNAL;
    }
    return HCCL_SUCCESS;
}

/// True when rank r's front is a send whose receiver waits for it; both are done then.
inline bool run_pair(Clique& c, uint32_t r)
{
    if (c.posted[r].empty() || c.posted[r].front().kind != Kind::Send) return false;
    const Post send = c.posted[r].front();
    auto& others = c.posted[send.peer];
    for (auto it = others.begin(); it != others.end(); ++it) {
        if (it->kind == Kind::Recv && it->peer == r && it->count == send.count && it->type == send.type) {
            memmove(it->to, send.from, send.count * size_of(send.type));
            others.erase(it);
            c.posted[r].erase(c.posted[r].begin());
            return true;
        }
        if (it->kind != Kind::Recv && it->kind != Kind::Send) break;
    }
    return false;
}

inline HcclResult progress(Clique& c)
{
    for (bool moved = true; moved;) {
        moved = false;
        bool collective = true;
        for (uint32_t r = 0; r < c.posted.size(); ++r) {
            while (run_pair(c, r)) moved = true;
            collective = collective && !c.posted[r].empty() && c.posted[r].front().kind < Kind::Send;
        }
        if (collective) {
            if (const HcclResult error = run_collective(c)) return error;
            moved = true;
        }
    }
    return HCCL_SUCCESS;
}

inline HcclResult post(HcclComm comm, const Post& p)
{
    auto* rank = static_cast<Rank*>(comm);
    Stream* s = Runtime::get().resolve(p.stream);
    if (rank == nullptr || s == nullptr) return HCCL_E_PTR;
    if (p.peer >= rank->clique->posted.size()) return HCCL_E_PARA;
    if (p.to != nullptr) mark_pending(*s, p.to);
    if (p.from != nullptr) mark_pending(*s, p.from);
    rank->clique->posted[rank->rank].push_back(p);
    return progress(*rank->clique);
}

} // namespace hccl
} // namespace ascendc_emu

inline HcclResult HcclCommInitAll(uint32_t ranks, int32_t*, HcclComm* comms)
{
    auto* clique = new ascendc_emu::hccl::Clique;
    clique->posted.resize(ranks);
    for (uint32_t r = 0; r < ranks; ++r) comms[r] = new ascendc_emu::hccl::Rank{clique, r};
    return HCCL_SUCCESS;
}
inline HcclResult HcclGetRootInfo(HcclRootInfo* info)
{
    static int next = 0;
    *info = HcclRootInfo{};
    ++next;
    memcpy(info->internal, &next, sizeof next);
    return HCCL_SUCCESS;
}
inline HcclResult HcclCommInitRootInfo(uint32_t ranks, const HcclRootInfo* info, uint32_t rank, HcclComm* comm)
{
    static std::map<int, ascendc_emu::hccl::Clique*> cliques;
    int number = 0;
    memcpy(&number, info->internal, sizeof number);
    auto& clique = cliques[number];
    if (rank >= ranks) return HCCL_E_PARA;
    if (clique == nullptr) {
        clique = new ascendc_emu::hccl::Clique;
        clique->posted.resize(ranks);
    }
    *comm = new ascendc_emu::hccl::Rank{clique, rank};
    return HCCL_SUCCESS;
}
inline HcclResult HcclCommDestroy(HcclComm comm)
{
    delete static_cast<ascendc_emu::hccl::Rank*>(comm);
    return HCCL_SUCCESS;
}
inline HcclResult HcclGetRankSize(HcclComm comm, uint32_t* size)
{
    *size = static_cast<uint32_t>(static_cast<ascendc_emu::hccl::Rank*>(comm)->clique->posted.size());
    return HCCL_SUCCESS;
}
inline HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank)
{
    *rank = static_cast<ascendc_emu::hccl::Rank*>(comm)->rank;
    return HCCL_SUCCESS;
}
inline const char* HcclGetErrorString(HcclResult code) { return code == HCCL_SUCCESS ? "no error" : "HCCL error"; }
inline HcclResult HcclGroupStart() { return HCCL_SUCCESS; }
inline HcclResult HcclGroupEnd() { return HCCL_SUCCESS; }

inline HcclResult HcclAllReduce(void* from, void* to, uint64_t count, HcclDataType type, HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::AllReduce, from, to, count, type, op, 0, stream});
}
inline HcclResult HcclReduce(void* from, void* to, uint64_t count, HcclDataType type, HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::Reduce, from, to, count, type, op, root, stream});
}
inline HcclResult HcclBroadcast(void* buffer, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::Broadcast, buffer, buffer, count, type, HCCL_REDUCE_SUM, root, stream});
}
inline HcclResult HcclAllGather(void* from, void* to, uint64_t count, HcclDataType type, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::AllGather, from, to, count, type, HCCL_REDUCE_SUM, 0, stream});
}
inline HcclResult HcclReduceScatter(void* from, void* to, uint64_t count, HcclDataType type, HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::ReduceScatter, from, to, count, type, op, 0, stream});
}
inline HcclResult HcclSend(void* from, uint64_t count, HcclDataType type, uint32_t to, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::Send, from, nullptr, count, type, HCCL_REDUCE_SUM, to, stream});
}
inline HcclResult HcclRecv(void* to, uint64_t count, HcclDataType type, uint32_t from, HcclComm comm, aclrtStream stream)
{
    return ascendc_emu::hccl::post(comm, {ascendc_emu::hccl::Kind::Recv, nullptr, to, count, type, HCCL_REDUCE_SUM, from, stream});
}
