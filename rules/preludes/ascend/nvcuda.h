// Host code may name the namespaces; nothing in them is used there.
namespace nvcuda {
namespace wmma {
}
}
