#include <cstdio>
#include <vector>

#include "check.h"
#include "sums.h"

static const int STREAMS = 2;
static const int ROWS = 9;
static const int COUNT = 300;
static const int TOTAL = ROWS * COUNT;
static const int FACTOR = 3;

int main()
{
    cudaStream_t streams[STREAMS];
    cudaEvent_t done[STREAMS];
    int* values[STREAMS];
    long long* sums[STREAMS];
    int* host[STREAMS];
    long long got[STREAMS][ROWS];

    for (int s = 0; s < STREAMS; s++) {
        CUDA_CHECK(cudaStreamCreate(&streams[s]));
        CUDA_CHECK(cudaEventCreate(&done[s]));
        CUDA_CHECK(cudaMalloc(&values[s], TOTAL * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&sums[s], ROWS * sizeof(long long)));
        CUDA_CHECK(cudaMallocHost(&host[s], TOTAL * sizeof(int)));
        for (int i = 0; i < TOTAL; i++) {
            host[s][i] = (i * 37 + s * 11) % 101 - 50;
        }
        CUDA_CHECK(cudaMemset(sums[s], 0xff, ROWS * sizeof(long long)));
    }
    for (int s = 0; s < STREAMS; s++) {
        CUDA_CHECK(cudaMemcpyAsync(values[s], host[s], TOTAL * sizeof(int), cudaMemcpyHostToDevice,
                                   streams[s]));
        scramble(values[s], TOTAL, FACTOR, streams[s]);
        sum_rows(values[s], sums[s], ROWS, COUNT, streams[s]);
        CUDA_CHECK(cudaEventRecord(done[s], streams[s]));
    }

    int bad = 0;
    for (int s = 0; s < STREAMS; s++) {
        CUDA_CHECK(cudaEventSynchronize(done[s]));
        CUDA_CHECK(cudaMemcpy(got[s], sums[s], sizeof(got[s]), cudaMemcpyDeviceToHost));
        for (int r = 0; r < ROWS; r++) {
            long long want = 0;
            for (int i = r * COUNT; i < (r + 1) * COUNT; i++) {
                want += (long long)host[s][i] * FACTOR + i;
            }
            if (got[s][r] != want) {
                printf("stream %d, row %d: %lld, not %lld\n", s, r, got[s][r], want);
                bad++;
            }
        }
    }
    for (int s = 0; s < STREAMS; s++) {
        CUDA_CHECK(cudaFree(values[s]));
        CUDA_CHECK(cudaFree(sums[s]));
        CUDA_CHECK(cudaFreeHost(host[s]));
        CUDA_CHECK(cudaEventDestroy(done[s]));
        CUDA_CHECK(cudaStreamDestroy(streams[s]));
    }
    printf("%s\n", bad == 0 ? "PASS" : "FAIL");
    return bad == 0 ? 0 : 1;
}
