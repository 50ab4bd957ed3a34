// A positive number in fixed point: mantissa * 2**exponent, mantissa with its top bit set (or 0).
struct ScalarFixed {
    uint64_t mantissa;
    int32_t exponent;
};
