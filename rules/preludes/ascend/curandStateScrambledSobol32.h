// A state of cuRAND's generator scrambled Sobol' of 32 bits, as kernels use it.
struct curandStateScrambledSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
static_assert(sizeof(curandStateScrambledSobol32) == 140, "layout of curandStateScrambledSobol32");
