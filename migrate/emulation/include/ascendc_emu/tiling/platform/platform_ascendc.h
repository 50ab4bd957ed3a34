// What host code asks about the chip: the number of cores and the size of UB.
#pragma once

#include "../../emu/settings.h"

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };

class PlatformAscendC {
public:
    uint32_t GetCoreNumAiv() const { return ascendc_emu::core_count(); }
    uint32_t GetCoreNumAic() const { return ascendc_emu::core_count() / 2; }
    uint32_t GetCoreNum() const { return ascendc_emu::core_count(); }
    void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const { size = type == CoreMemType::UB ? ascendc_emu::kUbUsable : 0; }
};

class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance(const char* = nullptr)
    {
        static PlatformAscendC platform;
        return &platform;
    }
};

} // namespace platform_ascendc
