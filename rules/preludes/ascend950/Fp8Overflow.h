// What becomes of a value that is too large for an 8-bit float.
enum Fp8Overflow { FP8_TO_INFINITY, FP8_SATURATE };
