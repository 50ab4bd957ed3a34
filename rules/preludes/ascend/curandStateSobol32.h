// A state of cuRAND's generator Sobol' of 32 bits, as kernels use it.
struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
static_assert(sizeof(curandStateSobol32) == 140, "layout of curandStateSobol32");
