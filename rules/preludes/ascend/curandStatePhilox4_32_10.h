// A state of cuRAND's generator Philox 4x32-10, as kernels use it.
struct curandStatePhilox4_32_10 {
    alignas(16) unsigned int ctr[4], output[4];
    unsigned int key[2];
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    unsigned long long boxmuller_extra_double;
};
static_assert(sizeof(curandStatePhilox4_32_10) == 64, "layout of curandStatePhilox4_32_10");
