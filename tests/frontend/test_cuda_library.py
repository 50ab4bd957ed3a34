"""Kernels that call CUDA's libraries are read with the functions they call."""

from __future__ import annotations

from migrate.ir.simt import Barrier, Collective
from migrate.ir.walk import walk_stmts
from tests.frontend.conftest import Read, kernel_body


def test_a_block_reduction_is_read_like_a_function_of_the_users(read: Read) -> None:
    unit = read(
        """
        #include <cub/block/block_reduce.cuh>
        __global__ void k(const float* a, float* out) {
          typedef cub::BlockReduce<float, 96> Reduce;
          __shared__ Reduce::TempStorage temp;
          float sum = Reduce(temp).Sum(a[threadIdx.x]);
          if (threadIdx.x == 0) out[0] = sum;
        }
        """
    )
    assert "shared var temp: array<f32, 96>" in kernel_body(unit)
    reduce = unit.module.function("BlockReduce_float_96_Reduce")
    barriers = [s for s in walk_stmts(reduce.body) if isinstance(s, Barrier)]
    assert len(barriers) == 2  # after the values are there, and in the loop over steps
    assert unit.module.function("Sum_call").pure


def test_what_a_group_has_no_words_for_is_read_from_its_body(read: Read) -> None:
    unit = read(
        """
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        struct Pair { float low, high; };
        struct Widen {
          __device__ Pair operator()(Pair a, Pair b) const {
            return Pair{fminf(a.low, b.low), fmaxf(a.high, b.high)};
          }
        };
        __global__ void k(float* a) {
          auto tile = cg::tiled_partition<32>(cg::this_thread_block());
          Pair p = {a[threadIdx.x], a[threadIdx.x]};
          Pair all = cg::reduce(tile, p, Widen());
          a[threadIdx.x] = all.high - all.low;
        }
        """
    )
    assert not unit.unread
    shuffles = [
        s
        for f in unit.module.functions
        for s in walk_stmts(f.body)
        if isinstance(s, Collective) and s.op == "shfl"
    ]
    assert len(shuffles) == 1  # in a loop over the words of a pair


def test_coalesced_threads_are_a_struct_with_a_mask(read: Read) -> None:
    unit = read(
        """
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int* a) {
          if (a[threadIdx.x] > 0) {
            cg::coalesced_group g = cg::coalesced_threads();
            a[threadIdx.x] = g.thread_rank() + g.size();
          }
        }
        """
    )
    assert not unit.unread
    fields = {s.name: [f.name for f in s.fields] for s in unit.module.structs}
    assert "mask_" in fields["cooperative_groups_coalesced_group"]


def test_host_algorithms_with_device_functors_spoil_no_kernel(read: Read) -> None:
    unit = read(
        """
        #include <thrust/device_vector.h>
        #include <thrust/transform.h>
        #include <cub/device/device_radix_sort.cuh>
        struct Twice { __device__ float operator()(float v) const { return 2 * v; } };
        __global__ void k(float* a) { a[threadIdx.x] += 1; }
        int main() {
          thrust::device_vector<float> v(100);
          thrust::transform(v.begin(), v.end(), v.begin(), Twice());
          size_t bytes = 0;
          cub::DeviceRadixSort::SortKeys(nullptr, bytes, v.data().get(), v.data().get(), 100);
          k<<<1, 100>>>(thrust::raw_pointer_cast(v.data()));
        }
        """
    )
    assert kernel_body(unit) == ["a[threadIdx.x] = (a[threadIdx.x] + 1.0:f32)"]
    assert len(unit.launches) == 1
    assert not unit.diagnostics


def test_a_barrier_that_spins_is_refused(read: Read) -> None:
    unit = read(
        """
        #include <cuda/barrier>
        __global__ void k(int* a) {
          __shared__ cuda::barrier<cuda::thread_scope_block> bar;
          bar.arrive_and_wait();
          a[0] = 1;
        }
        """
    )
    assert len(unit.unread) == 1


def test_explicit_instantiations_reach_the_launches_of_host_templates(read: Read) -> None:
    unit = read(
        """
        template <class T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
        template <class T> __global__ void clear(T* x) { x[threadIdx.x] = T(0); }
        template <class T> __global__ void never(T* x) { x[0] = 1; }
        template <class T> void launch(T* x, T by) { scale<T><<<1, 32>>>(x, by); }
        template void launch<float>(float* x, float by);
        template void launch<double>(double* x, double by);
        template <class T> struct Runner { void go(T* x); };
        template <class T> void Runner<T>::go(T* x) { clear<T><<<1, 32>>>(x); }
        template struct Runner<int>;
        """
    )
    assert {k.symbol for k in unit.module.kernels} == {"scale_float", "scale_double", "clear_int"}
    assert [u.name for u in unit.unread] == ["never"]
    sites = {x.callee.text: x.kernels for x in unit.launches}
    assert sites["scale<T>"] == ("scale_float", "scale_double")


def test_the_include_guards_of_the_headers_are_known(read: Read) -> None:
    unit = read(
        """
        #if defined(__CUDA_RUNTIME_H__) && defined(__DRIVER_TYPES_H__)
        __global__ void k(int* a) { a[0] = 1; }
        #endif
        """
    )
    assert [k.name for k in unit.module.kernels] == ["k"]


def test_kernels_of_launches_with_attributes_are_read(read: Read) -> None:
    unit = read(
        """
        template <class T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
        template <class T> __global__ void clear(T* x) { x[threadIdx.x] = T(0); }
        template <class T> __global__ void never(T* x) { x[0] = 1; }
        template <class T> void launch(T* x) {
          cudaLaunchConfig_t config = {};
          config.gridDim = 1;
          config.blockDim = 32;
          cudaLaunchKernelEx(&config, scale<T>, x, T(2));
        }
        void both(float* x, int* y) {
          launch(x);
          cudaLaunchConfig_t config = {};
          void* args[] = {&y};
          cudaLaunchKernelExC(&config, (const void*)clear<int>, args);
        }
        """
    )
    assert {k.symbol for k in unit.module.kernels} == {"scale_float", "clear_int"}
    assert [u.name for u in unit.unread] == ["never"]
    scale, clear = unit.launches
    assert (scale.callee.text, scale.kernels) == ("scale<T>", ("scale_float",))
    assert (scale.grid.text, scale.block.text) == ("config.gridDim", "config.blockDim")
    assert [a.text for a in scale.args] == ["x", "T(2)"] and scale.dependent
    assert clear.kernels == ("clear_int",) and [a.text for a in clear.args] == ["args"]
    assert clear.stream is not None and clear.stream.text == "config.stream"
