#include "filters.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

double at(const float* image, int x, int y, int width, int height)
{
    x = std::min(std::max(x, 0), width - 1);
    y = std::min(std::max(y, 0), height - 1);
    return image[y * width + x];
}

}  // namespace

// The two passes as one sum over the nine neighbours.
void blur_reference(const float* from, float* to, int width, int height, float centre)
{
    const double side = (1.0 - centre) / 2.0;
    const double weight[3] = {side, centre, side};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0.0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    sum += weight[dy + 1] * weight[dx + 1] * at(from, x + dx, y + dy, width, height);
                }
            }
            to[y * width + x] = static_cast<float>(sum);
        }
    }
}

void edges_reference(const float* from, float* to, int width, int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double dx = at(from, x + 1, y, width, height) - at(from, x - 1, y, width, height);
            double dy = at(from, x, y + 1, width, height) - at(from, x, y - 1, width, height);
            to[y * width + x] = static_cast<float>(std::hypot(dx, dy));
        }
    }
}
