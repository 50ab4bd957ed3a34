"""The meanings that rules may name, each with its number of operands and what it computes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    """One meaning. ``most`` operands at most; ``None``: any number."""

    text: str
    least: int
    most: int | None


def _table(rows: str) -> dict[str, Operation]:
    out: dict[str, Operation] = {}
    for row in rows.strip().splitlines():
        name, count, text = (part.strip() for part in row.split("|", 2))
        low, _, high = count.partition("-")
        most = None if high == "*" else int(high or low)
        out[name] = Operation(text, int(low), most)
    return out


OPERATIONS = _table(
    """
    abs | 1 | absolute value
    acos | 1 | arc cosine
    acosh | 1 | inverse hyperbolic cosine
    add | 2 | sum, one rounding
    asin | 1 | arc sine
    asinh | 1 | inverse hyperbolic sine
    atan | 1 | arc tangent
    atan2 | 2 | angle of (x, y) from (y, x)
    atanh | 1 | inverse hyperbolic tangent
    average | 2 | (x + y) / 2 rounded down, no overflow
    average_up | 2 | (x + y + 1) / 2 rounded down, no overflow
    bessel | 1-2 | a Bessel function
    bits | 1 | the same bits as another type
    byte_permute | 3 | bytes of (x, y) picked by a selector
    cbrt | 1 | cube root
    ceil | 1 | smallest integer not below
    clamp | 3 | limited to [low, high]
    clock | 0 | cycles since some start
    convert | 1 | conversion to the result type, rounded as named
    copysign | 2 | magnitude of x, sign of y
    cos | 1 | cosine
    cosh | 1 | hyperbolic cosine
    cospi | 1 | cosine of pi x
    count_leading_zeros | 1 | leading zero bits
    div | 2 | quotient, one rounding
    dot4 | 3 | dot product of four bytes, added to z
    eq | 2 | equal
    erf | 1 | error function
    erfc | 1 | complementary error function
    erfcinv | 1 | inverse complementary error function
    erfcx | 1 | scaled complementary error function
    erfinv | 1 | inverse error function
    exp | 1 | e to the power x
    exp10 | 1 | 10 to the power x
    exp2 | 1 | 2 to the power x
    exponent | 1 | binary exponent of x
    expm1 | 1 | e to the power x, less 1
    fdim | 2 | positive difference
    find_first_set | 1 | index of the lowest set bit, plus 1
    floor | 1 | largest integer not above
    fma | 3 | x y + z, one rounding
    fmod | 2 | remainder of truncated division
    funnel_shift | 3 | 32 bits of a shifted pair
    ge | 2 | not below
    gelu_tanh | 1 | GELU, the form with tanh
    gt | 2 | above
    hypot | 2 | length of (x, y)
    isfinite | 1 | neither infinite nor NaN
    isinf | 1 | infinite
    isnan | 1 | NaN
    lanes | 1-* | a value made lane by lane; each operand is the text of one lane
    ldexp | 2 | x times 2 to the power n
    le | 2 | not above
    lgamma | 1 | logarithm of the gamma function
    load | 1 | the value at a pointer
    log | 1 | natural logarithm
    log10 | 1 | logarithm to base 10
    log1p | 1 | natural logarithm of 1 + x
    log2 | 1 | logarithm to base 2
    lt | 2 | below
    max | 2 | the larger; for floats a NaN loses
    max_nan | 2 | the larger; a NaN wins
    min | 2 | the smaller; for floats a NaN loses
    min_nan | 2 | the smaller; a NaN wins
    mul | 2 | product, one rounding
    mul24 | 2 | product of the low 24 bits
    mul_high | 2 | high half of a product
    ne | 2 | different
    neg | 1 | sign changed
    nextafter | 2 | the next number towards y
    norm | 3-4 | length of a vector
    normcdf | 1 | normal distribution function
    normcdfinv | 1 | inverse normal distribution function
    packed | 1-2 | an operation on each 8- or 16-bit lane of a word
    pack_fp8 | 3 | a float as the bits of an 8-bit one: value, saturation, format
    popcount | 1 | set bits
    pow | 2 | x to the power y
    rcbrt | 1 | reciprocal cube root
    rcp | 1 | reciprocal
    refused | 0-* | nothing: the construct is known and has no counterpart
    remainder | 2 | remainder of division rounded to even
    reverse_bits | 1 | bits in reverse order
    rhypot | 2 | reciprocal length of (x, y)
    rnorm | 3-4 | reciprocal length of a vector
    round_half_away | 1 | to an integer, halves away from zero
    round_half_even | 1 | to an integer, halves to even
    rsqrt | 1 | reciprocal square root
    saturate | 1 | limited to [0, 1], NaN to 0
    sigmoid | 1 | 1 / (1 + e**-x)
    signbit | 1 | sign bit set
    silu | 1 | x / (1 + e**-x)
    sin | 1 | sine
    sinh | 1 | hyperbolic sine
    sinpi | 1 | sine of pi x
    sqrt | 1 | square root
    store | 2 | writes a value through a pointer
    sub | 2 | difference, one rounding
    sum_abs_diff | 3 | |x - y| + z
    tan | 1 | tangent
    tanh | 1 | hyperbolic tangent
    tanpi | 1 | tangent of pi x
    tgamma | 1 | gamma function
    trunc | 1 | without the fraction
    atomic_add | 2 | adds to memory, gives the old value
    atomic_and | 2 | ands into memory, gives the old value
    atomic_cas | 3 | compares and swaps, gives the old value
    atomic_dec | 2 | counts down with wrap, gives the old value
    atomic_exch | 2 | exchanges, gives the old value
    atomic_inc | 2 | counts up with wrap, gives the old value
    atomic_max | 2 | raises memory, gives the old value
    atomic_min | 2 | lowers memory, gives the old value
    atomic_or | 2 | ors into memory, gives the old value
    atomic_sub | 2 | subtracts from memory, gives the old value
    atomic_xor | 2 | exclusive-ors into memory, gives the old value
    """
)
"""Device meanings by name."""

HOST_OPERATIONS = frozenset(
    {
        "allocate",
        "allocate_2d",
        "allocate_async",
        "allocate_host",
        "allocate_managed",
        "attribute",
        "constant",
        "copy",
        "copy_2d",
        "copy_async",
        "copy_from_symbol",
        "copy_symbol",
        "copy_to_symbol",
        "device_count",
        "device_name",
        "device_properties",
        "device_reset",
        "error_name",
        "error_text",
        "event_create",
        "event_destroy",
        "event_elapsed",
        "event_query",
        "event_record",
        "event_synchronise",
        "fill",
        "fill_2d",
        "fill_async",
        "free",
        "free_async",
        "free_host",
        "get_device",
        "host",
        "header",
        "last_error",
        "launch",
        "macro",
        "memory_info",
        "occupancy",
        "peek_error",
        "peer",
        "prefetch",
        "profiler",
        "register_host",
        "set_device",
        "set_limit",
        "stream_create",
        "stream_destroy",
        "stream_query",
        "stream_synchronise",
        "stream_wait",
        "symbol_address",
        "synchronise_device",
        "type",
        "version",
        "nothing",
    }
)
"""Meanings of host rules: names only, since their operands are those of the call."""
