// An angle less whole quarter turns: quarters counts them, rest is at most 1/8 turn in radians,
// negative says its sign. All for |x|.
struct ScalarAngle {
    uint32_t quarters;
    ScalarFixed rest;
    bool negative;
};
