// Two values of half precision in host code, as CUDA lays them out.
struct alignas(4) Half2 {
    half x, y;
};
