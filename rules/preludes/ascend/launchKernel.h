// A launch whose arguments come as an array of addresses, one for each parameter of the kernel.
template <class Element>
struct SameType {
    typedef Element type;
};
template <class Dim, class... P, size_t... I>
void launchFromArray(void (*launch)(Dim, Dim, size_t, aclrtStream, P...), Dim grid, Dim block, size_t bytes,
                     aclrtStream stream, void** values, std::index_sequence<I...>)
{
    launch(grid, block, bytes, stream, *static_cast<std::remove_reference_t<P>*>(values[I])...);
}
template <class Dim, class... P>
aclError launchKernel(void (*launch)(Dim, Dim, size_t, aclrtStream, P...), typename SameType<Dim>::type grid,
                      typename SameType<Dim>::type block, void** values, size_t bytes = 0, aclrtStream stream = nullptr)
{
    launchFromArray(launch, grid, block, bytes, stream, values, std::index_sequence_for<P...>());
    return ACL_SUCCESS;
}
