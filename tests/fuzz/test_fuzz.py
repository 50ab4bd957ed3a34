"""A short fuzzing run with a fixed seed; ``fuzz.py`` runs as long as one likes."""

from __future__ import annotations

import random
from pathlib import Path

from tests.fuzz.fuzz import fuzz
from tests.fuzz.mutate import mutated


def test_mutations_are_many_and_repeatable() -> None:
    source = b"__global__ void k(float* x) { x[threadIdx.x] = 1.0f; }\n" * 4
    made = [mutated(source, random.Random(seed)) for seed in range(50)]
    assert made == [mutated(source, random.Random(seed)) for seed in range(50)]
    assert len(set(made)) > 40
    assert sum(m != source for m in made) > 45


def test_every_outcome_is_coded(tmp_path: Path) -> None:
    tried, faults = fuzz(5.0, seed=20, keep=tmp_path, most=30)
    assert not faults, faults
    assert tried >= 3
