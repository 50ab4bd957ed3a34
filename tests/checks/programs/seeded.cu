// 24 faults, six of each kind, five more of order, and their twins without the fault: `seeded NAME wrong|right`.
#include <cstdio>
#include <cstring>

#include "bounds.cuh"
#include "races.cuh"
#include "unwritten.cuh"
#include "leaks.cuh"
#include "streams.cuh"
#include "idioms.cuh"

struct Case {
  const char *name;
  void (*wrong)();
  void (*right)();
};
#define CASE(name) {#name, run_##name<false>, run_##name<true>}
static const Case cases[] = {
    CASE(past_the_end), CASE(before_the_start), CASE(shared_overrun), CASE(local_overrun),
    CASE(misaligned_vector), CASE(reads_freed), CASE(missing_barrier),
    CASE(missing_barrier_in_loop), CASE(warp_synchronous), CASE(sum_without_atomic),
    CASE(reads_the_neighbour_block), CASE(barrier_in_branch), CASE(sums_into_fresh_memory),
    CASE(counts_into_fresh_memory), CASE(halo_not_loaded), CASE(part_of_dynamic_memory),
    CASE(short_copy), CASE(one_field), CASE(never_freed), CASE(overwritten_pointer),
    CASE(managed_not_freed), CASE(freed_twice), CASE(freed_inside), CASE(pinned_not_freed),
    CASE(kernel_before_copy), CASE(copy_before_kernel),
    CASE(last_block), CASE(grid_barrier), CASE(lanes_in_order),
};

int main(int argc, char **argv) {
  for (const Case &c : cases)
    if (argc == 3 && std::strcmp(c.name, argv[1]) == 0) {
      (std::strcmp(argv[2], "right") == 0 ? c.right : c.wrong)();
      cudaDeviceSynchronize();
      return 0;
    }
  return 2;
}
