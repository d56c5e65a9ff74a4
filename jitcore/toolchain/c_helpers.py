"""C functions that generated code calls: each text stands where a kernel or a loop needs it."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

QUIET = """
/* gcc's vector form even of __builtin_isless raises flags for NaN: such operands become 0 first. */
#define RT_QUIET(T, U) \\
static inline u8 rt_lt_##T(T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U m = -(U)!__builtin_isunordered(a, b); x.u &= m; y.u &= m; return x.t < y.t; } \\
static inline u8 rt_le_##T(T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U o = !__builtin_isunordered(a, b), m = -o; x.u &= m; y.u &= m; return (x.t <= y.t) & o; }
RT_QUIET(f32, u32)
RT_QUIET(f64, u64)
#define rt_lt(a, b) _Generic((a), f32: rt_lt_f32, default: rt_lt_f64)(a, b)
#define rt_le(a, b) _Generic((a), f32: rt_le_f32, default: rt_le_f64)(a, b)
#define __builtin_isless(a, b) rt_lt(a, b)
#define __builtin_isgreater(a, b) rt_lt(b, a)
#define __builtin_islessequal(a, b) rt_le(a, b)
#define __builtin_isgreaterequal(a, b) rt_le(b, a)
"""

SELECT = """
#define RT_SELECT(T, U) \\
static inline T rt_select_##T(int c, T a, T b) { union { T t; U u; } x = {a}, y = {b}; \\
    U m = -(U)(c != 0); x.u = (x.u & m) | (y.u & (U)~m); return x.t; }
#define RT_SELECT_PAIR(T, P) \\
static inline T rt_select_##T(int c, T a, T b) { \\
    return (T){rt_select_##P(c, a.re, b.re), rt_select_##P(c, a.im, b.im)}; }
RT_SELECT(i8, u8)
RT_SELECT(u8, u8)
RT_SELECT(i16, u16)
RT_SELECT(u16, u16)
RT_SELECT(i32, u32)
RT_SELECT(u32, u32)
RT_SELECT(i64, u64)
RT_SELECT(u64, u64)
RT_SELECT(f32, u32)
RT_SELECT(f64, u64)
RT_SELECT_PAIR(c64, f32)
RT_SELECT_PAIR(c128, f64)
"""

WHOLE = """
/* What does not fit becomes the least integer, as the processor has it. */
#define RT_LEAST (-0x7fffffffffffffffLL - 1)
#if defined(__x86_64__)
typedef f32 rt_f32s __attribute__((vector_size(16)));
typedef f64 rt_f64s __attribute__((vector_size(16)));
static inline i64 rt_whole_f32(f32 x) { return __builtin_ia32_cvttss2si64((rt_f32s){x, 0, 0, 0}); }
static inline i64 rt_whole_f64(f64 x) { return __builtin_ia32_cvttsd2si64((rt_f64s){x, 0}); }
#else
static inline i64 rt_whole_f64(f64 x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : RT_LEAST; }
static inline i64 rt_whole_f32(f32 x) { return rt_whole_f64(x); }
#endif
"""

SINK = """
static inline u32 rt_bits_f32(f32 x) { union { f32 x; u32 u; } bits = {x}; return bits.u; }
static inline u64 rt_bits_f64(f64 x) { union { f64 x; u64 u; } bits = {x}; return bits.u; }
"""


@cache
def once(text: str) -> str:
    """As a header says it: several kernels may stand in one text."""
    name = f"RT_{sha256(text.encode()).hexdigest()[:16]}"
    return f"#ifndef {name}\n#define {name}\n{text}\n#endif"
