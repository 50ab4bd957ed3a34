#pragma once

// A coordinate outside of the image becomes the nearest one inside.
__device__ inline int inside(int at, int size)
{
    return at < 0 ? 0 : (at >= size ? size - 1 : at);
}
