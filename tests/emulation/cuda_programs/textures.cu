// Textures and surfaces: address modes, filtering with 8-bit weights, reads of every kind.
#include <cuda_runtime.h>

#include "expect.h"

texture<float, 2, cudaReadModeElementType> legacy2d;
texture<uchar4, 1, cudaReadModeNormalizedFloat> legacy_bytes;
texture<int, 1> legacy_linear;

__global__ void linear(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, static_cast<int>(threadIdx.x) - 1);
}
__global__ void at_points(cudaTextureObject_t t, const float2 *where, float *out, int dims) {
  int i = threadIdx.x;
  out[i] = dims == 1 ? tex1D<float>(t, where[i].x) : tex2D<float>(t, where[i].x, where[i].y);
}
__global__ void volume(cudaTextureObject_t t, float *out) {
  out[0] = tex3D<float>(t, 1.5f, 0.5f, 0.5f);
  out[1] = tex3D<float>(t, 1.0f, 1.0f, 1.0f);
  tex3D(out + 2, t, 0.75f, 0.5f, 1.5f);
}
__global__ void layers(cudaTextureObject_t t, int *out) {
  out[threadIdx.x] = tex2DLayered<int>(t, 1.5f, 0.5f, threadIdx.x);
}
__global__ void bytes(cudaTextureObject_t t, float4 *out, cudaTextureObject_t raw, uchar4 *stored) {
  out[0] = tex2D<float4>(t, 0.5f, 0.5f);
  out[1] = tex2D<float4>(t, 1.0f, 0.5f);
  stored[0] = tex2D<uchar4>(raw, 1.5f, 0.5f);
}
__global__ void references(float *out, int *whole, float4 *color) {
  out[0] = tex2D(legacy2d, 1.5f, 1.5f);
  out[1] = tex2D(legacy2d, 1.0f, 0.5f);
  whole[0] = tex1Dfetch(legacy_linear, 3);
  color[0] = tex1Dfetch(legacy_bytes, 1);
}
__global__ void surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y;
  float value;
  surf2Dread(&value, from, x * 4, y);
  surf2Dwrite(value * 2, to, x * 4, y);
  if (x == 0 && y == 0) surf2Dwrite(7.0f, to, -4, 0, cudaBoundaryModeZero);
}

static cudaTextureObject_t object(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                  bool normalized, cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  cudaTextureDesc how = {};
  for (auto &a : how.addressMode) a = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  how.borderColor[0] = -1;
  cudaTextureObject_t t = 0;
  if (cudaCreateTextureObject(&t, &r, &how, nullptr)) std::printf("refused\n");
  return t;
}

static float2 *where;
static float *out;

static void points(const char *name, cudaTextureObject_t t, int dims, const float2 *at, const float *wanted, int n) {
  for (int i = 0; i < n; ++i) where[i] = at[i];
  at_points<<<1, n>>>(t, where, out, dims);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    char text[48];
    std::snprintf(text, sizeof text, "%s %d", name, i);
    expect::equal(text, out[i], wanted[i]);
  }
}

int main() {
  cudaMallocManaged(&where, 1024);
  cudaMallocManaged(&out, 1024);
  float4 *color;
  int *whole;
  uchar4 *stored;
  cudaMallocManaged(&color, 256);
  cudaMallocManaged(&whole, 256);
  cudaMallocManaged(&stored, 256);

  float *memory;
  cudaMallocManaged(&memory, 4 * sizeof(float));
  for (int i = 0; i < 4; ++i) memory[i] = 10.0f * (i + 1);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = 16;
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &how, nullptr);
  linear<<<1, 6>>>(t, out);
  const float fetched[] = {0, 10, 20, 30, 40, 0};
  for (int i = 0; i < 6; ++i) expect::equal("tex1Dfetch", out[i], fetched[i]);
  cudaDestroyTextureObject(t);

  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaArray_t row, image, copy;
  cudaMallocArray(&row, &f, 4);
  cudaMemcpyToArray(row, 0, 0, memory, 16, cudaMemcpyDeviceToDevice);
  const float2 line[] = {{-0.5f, 0}, {0.99f, 0}, {1.0f, 0}, {4.0f, 0}, {9, 0}};
  const float clamped[] = {10, 10, 20, 40, 40}, bordered[] = {-1, 10, 20, -1, -1};
  points("clamp", object(row, cudaAddressModeClamp, cudaFilterModePoint, false), 1, line, clamped, 5);
  points("border", object(row, cudaAddressModeBorder, cudaFilterModePoint, false), 1, line, bordered, 5);
  points("wrap needs normalised", object(row, cudaAddressModeWrap, cudaFilterModePoint, false), 1, line, clamped, 5);
  const float2 turns[] = {{0.1f, 0}, {1.1f, 0}, {-0.1f, 0}, {1.9f, 0}, {2.3f, 0}};
  const float wrapped[] = {10, 10, 40, 40, 20}, mirrored[] = {10, 40, 10, 10, 20};
  points("wrap", object(row, cudaAddressModeWrap, cudaFilterModePoint, true), 1, turns, wrapped, 5);
  points("mirror", object(row, cudaAddressModeMirror, cudaFilterModePoint, true), 1, turns, mirrored, 5);
  // Weights: 1.6 - 0.5 = 1.1, 0.1 is 26 / 256.
  const float2 between[] = {{0.5f, 0}, {1.0f, 0}, {1.6f, 0}, {0.0f, 0}, {3.9f, 0}};
  const float mixed[] = {10, 15, 20 + 10 * 26 / 256.0f, 10, 40};
  points("linear", object(row, cudaAddressModeClamp, cudaFilterModeLinear, false), 1, between, mixed, 5);
  const float2 seam[] = {{0.0f, 0}, {0.125f, 0}};
  const float joined[] = {25, 10};
  points("linear wrap", object(row, cudaAddressModeWrap, cudaFilterModeLinear, true), 1, seam, joined, 2);

  const float pixels[] = {0, 1, 2, 10, 11, 12, 20, 21, 22};
  cudaMallocArray(&image, &f, 3, 3, cudaArraySurfaceLoadStore);
  cudaMallocArray(&copy, &f, 3, 3, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(image, 0, 0, pixels, 12, 12, 3, cudaMemcpyHostToDevice);
  const float2 plane[] = {{1.5f, 2.5f}, {1.0f, 1.0f}, {5, -5}};
  const float planar[] = {21, 5.5f, 2};
  points("2d", object(image, cudaAddressModeClamp, cudaFilterModeLinear, false), 2, plane, planar, 3);

  surfaces<<<1, dim3(3, 3)>>>([&] {
    cudaSurfaceObject_t s;
    cudaResourceDesc d = {};
    d.resType = cudaResourceTypeArray;
    d.res.array.array = image;
    cudaCreateSurfaceObject(&s, &d);
    return s;
  }(), [&] {
    cudaSurfaceObject_t s;
    cudaResourceDesc d = {};
    d.resType = cudaResourceTypeArray;
    d.res.array.array = copy;
    cudaCreateSurfaceObject(&s, &d);
    return s;
  }());
  float back[9];
  cudaMemcpy2DFromArray(back, 12, copy, 0, 0, 12, 3, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 9; ++i) expect::equal("surface", back[i], 2 * pixels[i]);

  float box[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  cudaArray_t cube;
  cudaMalloc3DArray(&cube, &f, make_cudaExtent(2, 2, 2));
  cudaMemcpy3DParms copy3 = {};
  copy3.srcPtr = make_cudaPitchedPtr(box, 8, 2, 2);
  copy3.dstArray = cube;
  copy3.extent = make_cudaExtent(2, 2, 2);
  copy3.kind = cudaMemcpyHostToDevice;
  expect::equal("3D copy", static_cast<int>(cudaMemcpy3D(&copy3)), 0);
  volume<<<1, 1>>>(object(cube, cudaAddressModeClamp, cudaFilterModeLinear, false), out);
  expect::equal("corner", out[0], 1.0f);
  expect::equal("middle", out[1], 3.5f);
  expect::equal("quarter", out[2], 4.25f);

  cudaChannelFormatDesc whole_desc = cudaCreateChannelDesc<int>();
  cudaArray_t stack;
  cudaMalloc3DArray(&stack, &whole_desc, make_cudaExtent(2, 1, 3), cudaArrayLayered);
  int levels[6] = {1, 2, 3, 4, 5, 6};
  copy3.srcPtr = make_cudaPitchedPtr(levels, 8, 2, 1);
  copy3.dstArray = stack;
  copy3.extent = make_cudaExtent(2, 1, 3);
  cudaMemcpy3D(&copy3);
  layers<<<1, 3>>>(object(stack, cudaAddressModeClamp, cudaFilterModePoint, false), whole);
  for (int i = 0; i < 3; ++i) expect::equal("layer", whole[i], 2 * i + 2);

  cudaChannelFormatDesc rgba = cudaCreateChannelDesc<uchar4>();
  cudaArray_t picture;
  cudaMallocArray(&picture, &rgba, 2, 1);
  uchar4 two[2] = {{0, 51, 255, 102}, {255, 255, 255, 0}};
  cudaMemcpy2DToArray(picture, 0, 0, two, 8, 8, 1, cudaMemcpyHostToDevice);
  bytes<<<1, 1>>>(object(picture, cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat), color,
                  object(picture, cudaAddressModeClamp, cudaFilterModePoint, false), stored);
  expect::equal("normalised", color[0].y, 0.2f);
  expect::equal("normalised and mixed", color[1].x, 0.5f);
  expect::equal("stored", static_cast<int>(stored[0].x), 255);
  r.res.linear.desc = cudaCreateChannelDesc<int>();
  how.filterMode = cudaFilterModeLinear;
  expect::equal("integers cannot be filtered", static_cast<int>(cudaCreateTextureObject(&t, &r, &how, nullptr)),
                static_cast<int>(cudaErrorInvalidValue));

  legacy2d.filterMode = cudaFilterModeLinear;
  cudaBindTextureToArray(legacy2d, image, f);
  int *numbers;
  cudaMallocManaged(&numbers, 32);
  for (int i = 0; i < 8; ++i) numbers[i] = i * i;
  cudaBindTexture(nullptr, legacy_linear, numbers, 32);
  uchar4 *table;
  cudaMallocManaged(&table, 8);
  table[1] = make_uchar4(255, 0, 51, 0);
  cudaBindTexture(0, legacy_bytes, table, 8);
  references<<<1, 1>>>(out, whole, color);
  expect::equal("reference", out[0], 11.0f);
  expect::equal("reference mixed", out[1], 0.5f);
  expect::equal("reference linear", whole[0], 9);
  expect::equal("reference normalised", color[0].z, 0.2f);
  cudaUnbindTexture(legacy2d);
  return expect::report();
}
