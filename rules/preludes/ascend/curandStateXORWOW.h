// A state of cuRAND's generator XORWOW, as kernels use it.
struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    unsigned long long boxmuller_extra_double;
};
static_assert(sizeof(curandStateXORWOW) == 48, "layout of curandStateXORWOW");
