// A state of cuRAND's generator Sobol' of 64 bits, as kernels use it.
struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
static_assert(sizeof(curandStateSobol64) == 536, "layout of curandStateSobol64");
