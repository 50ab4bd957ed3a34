#ifndef FILTERS_H
#define FILTERS_H

// An image in device memory: `width` columns, rows one after the other.
struct Image {
    float* pixels;
    int width;
    int height;
};

// Weighted mean of each pixel and its neighbours, along rows and then along columns.
void blur(const Image& from, const Image& scratch, const Image& to, float centre);

// Length of the gradient by central differences; the border repeats its pixels.
void edges(const Image& from, const Image& to);

// The same on the host, from another formula.
void blur_reference(const float* from, float* to, int width, int height, float centre);
void edges_reference(const float* from, float* to, int width, int height);

#endif
