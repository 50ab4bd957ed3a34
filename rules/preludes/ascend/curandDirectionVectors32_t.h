// The direction vectors of one dimension of cuRAND's Sobol' sequences.
typedef unsigned int curandDirectionVectors32_t[32];
