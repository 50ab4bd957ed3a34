// What would do harm outside a sandbox: `hostile NAME [PATH]`. Kernels run in the same process, so
// the sandbox sees no difference between host code and theirs.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static void report(bool done) { std::puts(done ? "done" : "refused"); }

static void write_file(const char *path) {
  std::FILE *file = std::fopen(path, "w");
  report(file);
  if (file) std::fclose(file);
}

static void leave_a_child(const char *path) {
  if (fork() != 0) return;
  setsid();
  sleep(1);
  write_file(path);
  _exit(0);
}

static int deeper(volatile int *p, int n) {
  volatile int here[64];
  here[n % 64] = n;
  return *p == 1 ? n : deeper(p, n + 1) + here[(n + 1) % 64];
}

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  const char *path = argc > 2 ? argv[2] : "";
  volatile int zero = 0;
  if (what == "endless") while (zero == 0) {}
  if (what == "recursive") return deeper(&zero, 1);
  if (what == "loud") for (;;) std::puts("a line that fills the disk when nobody looks");
  if (what == "forking") for (;;) fork();
  if (what == "huge") std::memset(new char[100ull << 30], 1, 1);
  if (what == "growing") for (;;) std::memset(std::malloc(16 << 20), 1, 16 << 20);
  if (what == "files")
    for (int i = 0;; ++i) std::fclose(std::fopen(std::to_string(i).c_str(), "w"));
  if (what == "writing") write_file(path);
  if (what == "removing") report(unlink(path) == 0);
  if (what == "changing") report(truncate(path, 0) == 0);
  if (what == "killing") report(kill(std::atoi(path), SIGKILL) == 0);
  if (what == "leaving") leave_a_child(path);
  return 0;
}
