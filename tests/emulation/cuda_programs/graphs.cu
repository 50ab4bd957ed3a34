// Graphs by capture and by hand, and kernels behind untyped pointers.
#include <cstdio>

__global__ void add(int *p, int n, const int *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += q ? q[i] : 1;
}
template <class T>
__global__ void assign(T *p, T value) { p[threadIdx.x] = value; }

static int *memory;
static int first() {
  int value = -1;
  cudaMemcpy(&value, memory + 7, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}
static void count(void *data) { ++*static_cast<int *>(data); }

static void captured() {
  cudaStream_t one, two;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  static int calls = 0;
  int copied = -1;
  cudaMemset(memory, 0, 400);
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  add<<<1, 100, 0, one>>>(memory, 100, 0);
  cudaEventRecord(forked, one);
  cudaStreamWaitEvent(two, forked, 0);
  add<<<1, 100, 0, two>>>(memory, 100, NULL);
  cudaEventRecord(joined, two);
  cudaStreamWaitEvent(one, joined, 0);
  cudaLaunchHostFunc(one, count, &calls);
  cudaMemcpyAsync(&copied, memory + 7, 4, cudaMemcpyDeviceToHost, one);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(two, &status);
  cudaGraph_t graph;
  cudaStreamEndCapture(one, &graph);
  std::printf("held_back %d %d %d %d\n", first(), calls, copied, static_cast<int>(status));
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, one);
  cudaStreamIsCapturing(two, &status);
  std::printf("captured %d %d %d %d\n", first(), calls, copied, static_cast<int>(status));
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  std::printf("legacy %s %d\n", cudaGetErrorName(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)),
              nodes >= 4);
  cudaGetLastError();
  add<<<1, 100, 0, two>>>(memory, 100, nullptr);
  std::printf("after %d\n", first());
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

static void by_hand() {
  cudaGraph_t graph;
  cudaGraphNode_t adding, assigning, filling;
  cudaGraphCreate(&graph, 0);
  int n = 100, value = 5;
  int *none = nullptr;
  void *add_arguments[] = {&memory, &n, &none};
  void *assign_arguments[] = {&memory, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(100);
  kernel.kernelParams = add_arguments;
  cudaGraphAddKernelNode(&adding, graph, NULL, 0, &kernel);
  kernel.func = (void *)assign<int>;
  kernel.kernelParams = assign_arguments;
  cudaGraphAddKernelNode(&assigning, graph, NULL, 0, &kernel);
  cudaGraphAddDependencies(graph, &assigning, &adding, 1);
  cudaMemsetParams fill = {memory, 400, 9, 4, 100, 1};
  cudaGraphAddMemsetNode(&filling, graph, NULL, 0, &fill);
  cudaGraphAddDependencies(graph, &filling, &assigning, 1);
  value = 77;  // the node has a copy
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  std::printf("by_hand %d\n", first());
  cudaGraphExecKernelNodeSetParams(exec, assigning, &kernel);
  cudaGraphLaunch(exec, 0);
  std::printf("updated %d\n", first());
  cudaGraphAddDependencies(graph, &adding, &filling, 1);
  cudaGraphExec_t circle;
  std::printf("circle %s\n", cudaGetErrorName(cudaGraphInstantiate(&circle, graph, 0)));
}

int main() {
  cudaMalloc(&memory, 400);
  captured();
  by_hand();
  int value = 31;
  void *arguments[] = {&memory, &value};
  const void *pointer = (const void *)assign<int>;
  cudaLaunchKernel(pointer, dim3(1), dim3(100), arguments, 0, 0);
  std::printf("pointer %d\n", first());
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 100;
  cudaLaunchKernelEx(&config, assign<int>, memory, 32);
  std::printf("launch_ex %d\n", first());
  std::printf("unknown %s\n", cudaGetErrorName(cudaLaunchKernel(
      static_cast<const void *>(memory), dim3(1), dim3(1), arguments, 0, 0)));
  cudaFree(memory);
}
