// The two formats of 8-bit floats.
enum Fp8Format { FP8_E4M3, FP8_E5M2 };
