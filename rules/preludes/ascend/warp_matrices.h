// Host code may name the namespaces; kernels that use them are refused.
namespace nvcuda {
namespace wmma {
}
}
