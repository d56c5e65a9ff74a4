"""The C functions that folds call: each text is there where a program needs it."""

from __future__ import annotations

LEAF_TEXT = """static inline T rt_leaf_##T(const T *x, i64 n) { \\
    T s, r[8]; \\
    i64 i = 1; \\
    if (n < 8) { \\
        for (s = x[0]; i < n; i++) s += x[i]; \\
        return s; \\
    } \\
    for (int j = 0; j < 8; j++) r[j] = x[j]; \\
    for (i = 8; i + 8 <= n; i += 8) \\
        for (int j = 0; j < 8; j++) r[j] += x[i + j]; \\
    s = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); \\
    for (; i < n; i++) s += x[i]; \\
    return s; } \\
"""

# Of a short one what is done at its end would count for more.
LOOSE_LEAF_TEXT = (
    LEAF_TEXT.replace("rt_leaf", "rt_short")
    + """static inline T rt_leaf_##T(const T *x, i64 n) { \\
    if (n <= 128) \\
        return rt_short_##T(x, n); \\
    enum { W = 64 / sizeof(T) }; \\
    typedef T lanes __attribute__((vector_size(64))); \\
    lanes r[4] = {{0}}, v; \\
    T s[W]; \\
    i64 i = 0; \\
    for (; i + 4 * W <= n; i += 4 * W) \\
        for (int k = 0; k < 4; k++) { \\
            __builtin_memcpy(&v, x + i + k * W, sizeof v); \\
            r[k] += v; \\
        } \\
    for (; i + W <= n; i += W) { \\
        __builtin_memcpy(&v, x + i, sizeof v); \\
        r[0] += v; \\
    } \\
    v = (r[0] + r[1]) + (r[2] + r[3]); \\
    __builtin_memcpy(s, &v, sizeof s); \\
    for (int half = W / 2; half > 0; half /= 2) \\
        for (int j = 0; j < half; j++) s[j] += s[j + half]; \\
    for (; i < n; i++) s[0] += x[i]; \\
    return s[0]; } \\
"""
)


def tree_text(macro: str, longest: int, leaf: str) -> str:
    """What sums a run as a tree whose leaves have so many values at most."""
    return f"{OPEN_TEXT}{leaf}{JOIN_TEXT}".replace("MACRO", macro).replace("LONGEST", str(longest))


OPEN_TEXT = """
/* `right`: how many values the right half of each open node has, 0 once it is being summed. */
#define MACRO(T) \\
typedef struct { i64 leaf, right[64]; T left[64], sum; int depth; } rt_tree_##T; \\
static inline void rt_descend_##T(rt_tree_##T *t, i64 n) { \\
    for (; n > LONGEST; t->depth++) { \\
        i64 half = n / 2 - n / 2 % 8; \\
        t->right[t->depth] = n - half; \\
        n = half; \\
    } \\
    t->leaf = n; } \\
"""

JOIN_TEXT = """static inline void rt_join_##T(rt_tree_##T *t, T s) { \\
    while (t->depth > 0 && t->right[t->depth - 1] == 0) \\
        s = t->left[--t->depth] + s; \\
    t->sum = s; \\
    t->leaf = 0; \\
    if (t->depth > 0) { \\
        i64 n = t->right[t->depth - 1]; \\
        t->left[t->depth - 1] = s; \\
        t->right[t->depth - 1] = 0; \\
        rt_descend_##T(t, n); \\
    } } \\
static inline i64 rt_read_##T(rt_tree_##T *t, const T *x, i64 at, i64 end) { \\
    while (t->leaf > 0 && end - at >= t->leaf) { \\
        i64 n = t->leaf; \\
        rt_join_##T(t, rt_leaf_##T(x + at, n)); \\
        at += n; \\
    } \\
    return at; } \\
static inline i64 rt_take_##T(rt_tree_##T *t, T *x, i64 have) { \\
    const i64 at = rt_read_##T(t, x, 0, have); \\
    for (i64 i = 0; i < have - at; i++) x[i] = x[at + i]; \\
    return have - at; }
"""

KEY_TEXT = """
/* Integers in the order of the floats, NaNs above all; `flip`: of the negated floats.
   Where 0 is the largest, -0 may be there as well; where -0 is, 0 is not. */
#define RT_KEY(T, I, MOST, INF) \\
static inline I rt_key_##T(T x, int flip) { \\
    union { T t; I i; } b = {x}; \\
    b.i ^= flip ? ~MOST : 0; \\
    I k = b.i ^ ((b.i >> (8 * sizeof(I) - 1)) & MOST); \\
    return (b.i & MOST) > INF ? MOST : k; } \\
static inline I rt_unkey_##T(I k, int flip, int *status) { \\
    I b = k ^ ((k >> (8 * sizeof(I) - 1)) & MOST); \\
    if (k == 0) *status |= RT_DOUBT; \\
    return b ^ (flip ? ~MOST : 0); }
RT_KEY(f32, i32, 0x7fffffff, 0x7f800000)
RT_KEY(f64, i64, 0x7fffffffffffffffLL, 0x7ff0000000000000LL)
"""

BLOCK_TEXT = """
/* Extremes of a chunk as keys. NaNs become the worst value, and are remembered, so no comparison
   sees one and raises a flag. Of zeros the least has its sign if any has it, the largest if all. */
#define RT_LANE(T, I, FLIP, JOIN) { \\
    b.x = x[i]; \\
    const I u = -(I)(b.x != b.x); \\
    nan[j] |= u; \\
    sign[j] JOIN b.i; \\
    b.i = (b.i & ~u) | (worst & u); \\
    r[j] = (FLIP ? b.x < r[j] : b.x > r[j]) ? b.x : r[j]; }
#define RT_MOST(NAME, T, I, MOST, INF, FLIP, SIGNS, JOIN) \\
static inline I NAME##_##T(const T *x, i64 n) { \\
    enum { W = 128 / sizeof(T) }; \\
    if (n < W) { \\
        I most = rt_key_##T(x[0], FLIP); \\
        for (i64 i = 1; i < n; i++) { \\
            const I key = rt_key_##T(x[i], FLIP); \\
            most = key > most ? key : most; \\
        } \\
        return most; \\
    } \\
    const I worst = FLIP ? INF : INF | ~MOST; \\
    union { I i; T x; } b = {worst}; \\
    T r[W]; \\
    I nan[W], sign[W], nans = 0, signs = SIGNS; \\
    i64 end = n / W * W; \\
    for (int j = 0; j < W; j++) r[j] = b.x, nan[j] = 0, sign[j] = SIGNS; \\
    for (i64 k = 0; k < end; k += W) \\
        for (int j = 0; j < W; j++) { i64 i = k + j; RT_LANE(T, I, FLIP, JOIN) } \\
    for (i64 i = end; i < n; i++) { int j = i - end; RT_LANE(T, I, FLIP, JOIN) } \\
    for (int j = 0; j < W; j++) { \\
        r[0] = (FLIP ? r[j] < r[0] : r[j] > r[0]) ? r[j] : r[0]; \\
        nans |= nan[j]; \\
        signs JOIN sign[j]; \\
    } \\
    if (nans) return MOST; \\
    b.x = r[0]; \\
    if ((b.i & MOST) == 0) b.i = signs & ~MOST; \\
    return rt_key_##T(b.x, FLIP); }
#define RT_MOSTS(T, I, MOST, INF) \\
RT_MOST(rt_max, T, I, MOST, INF, 0, -1, &=) \\
RT_MOST(rt_min, T, I, MOST, INF, 1, 0, |=)
RT_MOSTS(f32, i32, 0x7fffffff, 0x7f800000)
RT_MOSTS(f64, i64, 0x7fffffffffffffffLL, 0x7ff0000000000000LL)
"""

TRUTH_TEXT = """
/* A float is true by its bits: no comparison raises a flag for a NaN. */
#define RT_TRUTH(T, U, SHIFT) \\
static inline u8 rt_any_##T(const T *x, i64 n) { \\
    const U *bits = (const U *)x; \\
    U r = 0; \\
    for (i64 i = 0; i < n; i++) r |= (U)(bits[i] << SHIFT); \\
    return r != 0; } \\
static inline u8 rt_all_##T(const T *x, i64 n) { \\
    const U *bits = (const U *)x; \\
    U r = 0; \\
    for (i64 i = 0; i < n; i++) r |= (U)-((U)(bits[i] << SHIFT) == 0); \\
    return r == 0; }
RT_TRUTH(i8, u8, 0)
RT_TRUTH(u8, u8, 0)
RT_TRUTH(i16, u16, 0)
RT_TRUTH(u16, u16, 0)
RT_TRUTH(i32, u32, 0)
RT_TRUTH(u32, u32, 0)
RT_TRUTH(i64, u64, 0)
RT_TRUTH(u64, u64, 0)
RT_TRUTH(f32, u32, 1)
RT_TRUTH(f64, u64, 1)
"""

RANK_TEXT = """
/* As keys, but zeros of both signs are one. */
static inline i64 rt_one_zero(i64 key) { return key + (key == -1); }
static inline i32 rt_rank_f32(f32 x, int flip) { return rt_one_zero(rt_key_f32(x, flip)); }
static inline i64 rt_rank_f64(f64 x, int flip) { return rt_one_zero(rt_key_f64(x, flip)); }
"""

FIRST_TEXT = """
/* NumPy's own search of a chunk. `place` plus that of the first element of the largest rank (of v),
   if that is above *most; else `was`. Comparing NaNs may raise a flag, at which NumPy does not
   look. */
#define RT_FIRST(NAME, T, K, RANK) \\
static inline i64 NAME(const rt_loop *loop, char *x, i64 n, K *most, i64 place, i64 was, \\
                       int *status) { \\
    i64 at = 0; \\
    *status |= rt_flags(); \\
    ((rt_search *)loop->fn)(x, n, &at, 0); \\
    if (rt_flags() & ~*status) rt_clear(); \\
    const T v = ((const T *)x)[at]; \\
    const K k = RANK; \\
    if (k <= *most) return was; \\
    *most = k; \\
    return place + at; }
"""
