// A launch with attributes whose arguments come as an array of addresses.
template <class Dim, class... P>
aclError launchConfiguredArray(
    const LaunchConfig* config, void (*launch)(Dim, Dim, size_t, aclrtStream, P...), void** values)
{
    checkAttributes(config);
    const LaunchSize& grid = config->gridDim;
    const LaunchSize& block = config->blockDim;
    return launchKernel(launch, Dim(grid.x, grid.y, grid.z), Dim(block.x, block.y, block.z), values,
                        config->dynamicSmemBytes, config->stream);
}
