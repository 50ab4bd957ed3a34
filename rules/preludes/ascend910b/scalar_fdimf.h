// Positive difference.
__aicore__ inline float scalar_fdimf(float x, float y)
{
    if (x != x || y != y) {
        return x + y;
    }
    return x > y ? x - y : 0.0f;
}
