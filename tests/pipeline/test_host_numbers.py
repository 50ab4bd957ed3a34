"""Numbers of host functions: which are found, and that a change is made alike in migrated text."""

from __future__ import annotations

import pytest

from migrate.pipeline.host_numbers import Change, changed, changed_alike, host_numbers

PROGRAM = """
const int outside = 8192;
__global__ void k(int* p) { int n = 4096; p[0] = n; }
template <typename T> void work(int repeat) {
  unsigned rows = 2 * 1024 / repeat;
  for (int i = 0; i < 100; ++i) k<<<1, 1>>>(nullptr);
  for (int i = 0; i < 3; ++i) { rows += i; }
}
struct Sizes { Sizes(int argc) { n = 35588; } int n; };
int main() { int n = 1 << 12, m = n + 2048; work<int>(2); }
"""


def test_what_is_found() -> None:
    found = [(n.function, n.text, n.value, n.repeats, n.launches) for n in host_numbers(PROGRAM)]
    assert found == [
        ("work", "2*1024/repeat", 2048, False, False),
        ("work", "100", 100, True, True),
        ("work", "3", 3, True, False),
        ("Sizes", "35588", 35588, False, False),
        ("main", "1<<12", 4096, False, False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int* p) { int n = 4096; }",
        "__host__ __device__ int f() { int n = 4096; return n; }",
        "inline __aicore__ int f() { int n = 4096; return n; }",
        "int f() { auto g = [] __device__ () { int m = 2048; }; int n = 4096; }",
        "int table[] = { 4096, 8192 };",
        "void f() { int n = k * 4096; n += 4096; g(4096); for (; i <= 100;) {} }",
        "void f() { int n = 4096 / 2 / k; float x = 4096.0f; }",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert host_numbers(text) == ()


def test_values_are_divided_and_loops_run_once() -> None:
    text = changed(PROGRAM, Change((0, 1, 4), 64))
    assert "unsigned rows = (2 * 1024 / repeat) / 64;" in text
    assert "for (int i = 0; i < 1; ++i) k<<<1" in text
    assert "int n = (1 << 12) / 64, m = n + 2048;" in text
    assert "n = 35588;" in text


MIGRATED = """
inline void launch_k(int blocks) { int most = 65535; k<<<most, 0, nullptr>>>(); }
template <typename T> void work(int repeat) {
  unsigned rows = 2 * 1024 / repeat;
  for (int i = 0; i < 100; ++i) launch_k(1);
  for (int i = 0; i < 3; ++i) { rows += i; }
}
struct Sizes { Sizes(int argc) { n = 35588; } int n; };
int main() { static Session session; int n = 1 << 12, m = n + 2048; work<int>(2); }
"""


def test_the_same_numbers_change_in_the_migrated_text() -> None:
    text = changed_alike(PROGRAM, MIGRATED, Change((1, 3), 64))
    assert text is not None
    assert "for (int i = 0; i < 1; ++i) launch_k(1);" in text
    assert "n = (35588) / 64;" in text
    assert "int most = 65535;" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("35588", "35589"),  # another number
        (
            "static Session session;",
            "int blocks = 4096;",
        ),  # a number more in a function that counts
        ("for (int i = 0; i < 3; ++i) { rows += i; }", ""),
    ],
)
def test_near_misses_where_the_texts_do_not_agree(before: str, after: str) -> None:
    assert changed_alike(PROGRAM, MIGRATED.replace(before, after), Change((1, 3), 64)) is None
