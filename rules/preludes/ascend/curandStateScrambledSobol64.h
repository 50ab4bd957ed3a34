// A state of cuRAND's generator scrambled Sobol' of 64 bits, as kernels use it.
struct curandStateScrambledSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
static_assert(sizeof(curandStateScrambledSobol64) == 536, "layout of curandStateScrambledSobol64");
