#include "numpy/blas_dot_orders.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define SAME WITH_AVX2 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif

/* ---- vectors in one piece ----------------------------------------------------------------------- */

SAME __m256d pair(__m256d sum, const f64 *x, const f64 *y) {
    return _mm256_fmadd_pd(_mm256_loadu_pd(x), _mm256_loadu_pd(y), sum);
}

SAME __m128d halves(__m256d sum) { return _mm_add_pd(_mm256_extractf128_pd(sum, 1), _mm256_castpd256_pd128(sum)); }

/* Four sums of eight, of 32 elements in a row; then four of four, of 16; SkylakeX. */
WITH_AVX2 static f64 whole_512(i64 n, const f64 *x, const f64 *y) {
    __m256d a[4], b[4];
    i64 i = 0;
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = b[k] = _mm256_setzero_pd();
    for (; i < (n & ~(i64)31); i += 32)
        UNROLLED
        for (int k = 0; k < 4; k++) {
            a[k] = pair(a[k], x + i + 8 * k, y + i + 8 * k);
            b[k] = pair(b[k], x + i + 8 * k + 4, y + i + 8 * k + 4);
        }
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = _mm256_add_pd(a[k], b[k]);
    for (; i < n; i += 16)
        UNROLLED
        for (int k = 0; k < 4; k++)
            a[k] = pair(a[k], x + i + 4 * k, y + i + 4 * k);
    __m256d sum = _mm256_add_pd(_mm256_add_pd(_mm256_add_pd(a[0], a[1]), a[2]), a[3]);
    __m128d half = halves(sum);
    return half[0] + half[1];
}

/* Four sums of four, of 16 elements in a row; Haswell and Zen. */
WITH_AVX2 static f64 whole_256(i64 n, const f64 *x, const f64 *y) {
    __m256d a[4];
    UNROLLED
    for (int k = 0; k < 4; k++)
        a[k] = _mm256_setzero_pd();
    for (i64 i = 0; i < n; i += 16)
        UNROLLED
        for (int k = 0; k < 4; k++)
            a[k] = pair(a[k], x + i + 4 * k, y + i + 4 * k);
    __m128d sum = _mm_add_pd(_mm_add_pd(halves(a[0]), halves(a[1])), _mm_add_pd(halves(a[2]), halves(a[3])));
    return sum[0] + sum[1];
}

WITH_AVX2 static f64 fused_tail(f64 sum, i64 n, const f64 *x, const f64 *y) {
    for (i64 i = 0; i < n; i++)
        sum = __builtin_fma(y[i], x[i], sum);
    return sum;
}

WITH_AVX2 static f64 plain_tail(f64 sum, i64 n, const f64 *x, const f64 *y) {
    for (i64 i = 0; i < n; i++)
        sum += y[i] * x[i];
    return sum;
}

const DenseOrder dense_orders[NDENSE_ORDERS] = {
    {"eights, fused", whole_512, fused_tail},
    {"eights", whole_512, plain_tail},
    {"fours, fused", whole_256, fused_tail},
    {"fours", whole_256, plain_tail},
};

/* ---- vectors with steps: two sums, of the first and third, the second and fourth of four ---------- */

#define AT(p, step, k) (*(const f64 *)((p) + (k) * (step)))

SAME f64 strided_one(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step, int fused,
                     int fused_tail) {
    i64 i = 0;
    for (; i < (n & ~(i64)3); i += 4, x += 4 * x_step, y += 4 * y_step) {
        f64 m2 = AT(y, y_step, 2) * AT(x, x_step, 2), m3 = AT(y, y_step, 3) * AT(x, x_step, 3);
        f64 m0 = AT(y, y_step, 0) * AT(x, x_step, 0), m1 = AT(y, y_step, 1) * AT(x, x_step, 1);
        first += fused ? __builtin_fma(AT(y, y_step, 0), AT(x, x_step, 0), m2) : m0 + m2;
        second += fused ? __builtin_fma(AT(y, y_step, 1), AT(x, x_step, 1), m3) : m1 + m3;
    }
    for (; i < n; i++, x += x_step, y += y_step)
        first = fused_tail ? __builtin_fma(AT(y, 0, 0), AT(x, 0, 0), first) : first + AT(y, 0, 0) * AT(x, 0, 0);
    return first + second;
}

SAME __m256d four(const char *p, i64 lane) {
    return lane == 0 ? _mm256_broadcast_sd((const f64 *)p) : _mm256_loadu_pd((const f64 *)p);
}

/* The same of four vectors at once, in `groups`. */
SAME void strided_group(const DotLanes *of, i64 at, i64 x_lane, f64 *first, f64 *second, int groups, int fused, int fused_tail) {
    const i64 n = of->n, x_step = of->x_step, y_step = of->y_step;
    const char *x = of->x + at * x_lane, *y = of->y + at * WIDTH;
    __m256d a[4], b[4];
    i64 i = 0;
    UNROLLED
    for (int g = 0; g < groups; g++)
        a[g] = b[g] = _mm256_setzero_pd();
    for (; i < (n & ~(i64)3); i += 4, x += 4 * x_step, y += 4 * y_step)
        UNROLLED
        for (int g = 0; g < groups; g++) {
            const char *p = x + g * 4 * x_lane, *q = y + g * 4 * WIDTH;
            __m256d x0 = four(p, x_lane), x1 = four(p + x_step, x_lane), x2 = four(p + 2 * x_step, x_lane);
            __m256d y0 = four(q, 1), y1 = four(q + y_step, 1), y2 = four(q + 2 * y_step, 1);
            __m256d m2 = _mm256_mul_pd(y2, x2), m3 = _mm256_mul_pd(four(q + 3 * y_step, 1), four(p + 3 * x_step, x_lane));
            a[g] = _mm256_add_pd(a[g], fused ? _mm256_fmadd_pd(y0, x0, m2) : _mm256_add_pd(_mm256_mul_pd(y0, x0), m2));
            b[g] = _mm256_add_pd(b[g], fused ? _mm256_fmadd_pd(y1, x1, m3) : _mm256_add_pd(_mm256_mul_pd(y1, x1), m3));
        }
    for (; i < n; i++, x += x_step, y += y_step)
        UNROLLED
        for (int g = 0; g < groups; g++) {
            __m256d y0 = four(y + g * 4 * WIDTH, 1), x0 = four(x + g * 4 * x_lane, x_lane);
            a[g] = fused_tail ? _mm256_fmadd_pd(y0, x0, a[g]) : _mm256_add_pd(a[g], _mm256_mul_pd(y0, x0));
        }
    UNROLLED
    for (int g = 0; g < groups; g++) {
        _mm256_storeu_pd(first + at + 4 * g, of->growing ? a[g] : _mm256_add_pd(a[g], b[g]));
        _mm256_storeu_pd(second + at + 4 * g, b[g]);
    }
}

SAME void strided_several(const DotLanes *of, f64 *first, f64 *second, int fused, int fused_tail) {
    i64 at = 0;
    for (; at + 16 <= of->lanes; at += 16)
        if (of->x_lane == 0)
            strided_group(of, at, 0, first, second, 4, fused, fused_tail);
        else
            strided_group(of, at, WIDTH, first, second, 4, fused, fused_tail);
    for (; at < of->lanes; at += 4)
        if (of->x_lane == 0)
            strided_group(of, at, 0, first, second, 1, fused, fused_tail);
        else
            strided_group(of, at, WIDTH, first, second, 1, fused, fused_tail);
}

#define STRIDED(name, fused, fused_tail)                                                                                    \
    WITH_AVX2 static f64 name##_one(f64 first, f64 second, i64 n, const char *x, i64 x_step, const char *y, i64 y_step) {   \
        return strided_one(first, second, n, x, x_step, y, y_step, fused, fused_tail);                                      \
    }                                                                                                                       \
    WITH_AVX2 static void name##_several(const DotLanes *of, f64 *first, f64 *second) {                                     \
        strided_several(of, first, second, fused, fused_tail);                                                              \
    }

STRIDED(plain, 0, 0)
STRIDED(plain_fused, 0, 1)
STRIDED(fused, 1, 1)

const StridedOrder strided_orders[NSTRIDED_ORDERS] = {
    {"products", plain_one, plain_several},
    {"products, fused", plain_fused_one, plain_fused_several},
    {"fused, fused", fused_one, fused_several},
};

int dot_orders_run(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#else

const DenseOrder dense_orders[NDENSE_ORDERS];
const StridedOrder strided_orders[NSTRIDED_ORDERS];

int dot_orders_run(void) { return 0; }

#endif
