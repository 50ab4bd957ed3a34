// Copies of device memory for algorithms that run on the host, between copies to it and back.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "acl/acl.h"

namespace host_algorithms {

/// Ends the program when a copy fails: going on would compute on what was not copied.
inline void check(aclError error)
{
    if (error != ACL_SUCCESS) {
        std::fprintf(stderr, "CM4012: a copy of a library algorithm failed with %d\n", (int)error);
        std::abort();
    }
}

/// Elements of device memory on the host; all earlier work of the device is done before.
template <typename Element>
class Copy {
public:
    Copy(const Element* device, size_t count) : count_(count), items_(new Element[count > 0 ? count : 1])
    {
        check(aclrtSynchronizeDevice());
        if (count > 0) {
            check(aclrtMemcpy(
                items_.get(), count * sizeof(Element), device, count * sizeof(Element),
                ACL_MEMCPY_DEVICE_TO_HOST));
        }
    }
    explicit Copy(size_t count) : count_(count), items_(new Element[count > 0 ? count : 1])
    {
        check(aclrtSynchronizeDevice());
    }
    Element* begin() { return items_.get(); }
    Element* end() { return items_.get() + count_; }
    Element& operator[](size_t i) { return items_[i]; }
    void store(Element* device) const { store(device, count_); }
    void store(Element* device, size_t count) const
    {
        if (count > 0) {
            check(aclrtMemcpy(
                device, count * sizeof(Element), items_.get(), count * sizeof(Element),
                ACL_MEMCPY_HOST_TO_DEVICE));
        }
    }

private:
    size_t count_;
    std::unique_ptr<Element[]> items_;
};

} // namespace host_algorithms
