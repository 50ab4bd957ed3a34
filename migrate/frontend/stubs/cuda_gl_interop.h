// Buffers and images of OpenGL as graphics resources.
#pragma once
#include "cuda_runtime_api.h"
typedef unsigned int GLuint;
typedef unsigned int GLenum;
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t*, GLuint, unsigned int);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t*, GLuint, GLenum, unsigned int);
cudaError_t cudaGLSetGLDevice(int);
