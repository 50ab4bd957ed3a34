// Collection between the program's start and stop marks, into the folder `profile`.
struct Profiler {
    static aclprofConfig*& config()
    {
        static aclprofConfig* active = nullptr;
        return active;
    }
    static aclError start()
    {
        static const aclError opened = aclprofInit("profile", 7);
        int32_t device = 0;
        if (opened != ACL_SUCCESS || config() != nullptr || aclrtGetDevice(&device) != ACL_SUCCESS) {
            return opened;
        }
        uint32_t devices[] = {static_cast<uint32_t>(device)};
        config() = aclprofCreateConfig(devices, 1, ACL_AICORE_PIPE_UTILIZATION, nullptr,
                                       ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS);
        return config() == nullptr ? ACL_ERROR_FAILURE : aclprofStart(config());
    }
    static aclError stop()
    {
        if (config() == nullptr) {
            return ACL_SUCCESS;
        }
        const aclError error = aclprofStop(config());
        aclprofDestroyConfig(config());
        config() = nullptr;
        return error;
    }
};
