// A state of cuRAND's generator MRG32k3a, as kernels use it.
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    unsigned long long boxmuller_extra_double;
};
static_assert(sizeof(curandStateMRG32k3a) == 48, "layout of curandStateMRG32k3a");
