// How a kernel is launched, as programs fill it in for a launch with attributes.
struct LaunchSize {
    unsigned int x, y, z;
    constexpr LaunchSize(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    template <class Dim, class = decltype(Dim().z)>
    constexpr LaunchSize(const Dim& size) : x(size.x), y(size.y), z(size.z) {}
};
enum LaunchAttributeName {
    LaunchAttributeIgnore = 0, LaunchAttributeAccessPolicyWindow = 1, LaunchAttributeCooperative = 2,
    LaunchAttributeSynchronizationPolicy = 3, LaunchAttributeClusterDimension = 4,
    LaunchAttributeClusterSchedulingPolicyPreference = 5, LaunchAttributeProgrammaticStreamSerialization = 6,
    LaunchAttributeProgrammaticEvent = 7, LaunchAttributePriority = 8
};
union LaunchAttributeValue {
    char pad[64];
    int cooperative, programmaticStreamSerializationAllowed, priority;
    struct {
        unsigned int x, y, z;
    } clusterDim;
};
struct LaunchAttribute {
    LaunchAttributeName id;
    LaunchAttributeValue val;
};
struct LaunchConfig {
    LaunchSize gridDim, blockDim;
    size_t dynamicSmemBytes;
    aclrtStream stream;
    LaunchAttribute* attrs;
    unsigned int numAttrs;
};
// Attributes say when and where blocks run, not what they do. Blocks of a cluster would share memory: a
// kernel of this chip cannot, so such a launch ends the program.
inline void checkAttributes(const LaunchConfig* config)
{
    for (unsigned int i = 0; i < config->numAttrs; ++i) {
        const LaunchAttribute& a = config->attrs[i];
        if (a.id == LaunchAttributeClusterDimension &&
            a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z > 1) {
            std::fprintf(stderr, "CM4003: a launch asks for clusters of blocks, which this chip has not\n");
            std::abort();
        }
    }
}
template <class Dim, class... P, class... Values>
aclError launchConfigured(
    const LaunchConfig* config, void (*launch)(Dim, Dim, size_t, aclrtStream, P...), Values&&... values)
{
    checkAttributes(config);
    const LaunchSize& grid = config->gridDim;
    const LaunchSize& block = config->blockDim;
    launch(Dim(grid.x, grid.y, grid.z), Dim(block.x, block.y, block.z), config->dynamicSmemBytes, config->stream,
           std::forward<Values>(values)...);
    return ACL_SUCCESS;
}
