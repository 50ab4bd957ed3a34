// The direction vectors of one dimension of cuRAND's Sobol' sequences.
typedef unsigned long long curandDirectionVectors64_t[64];
