/* What the C compiler must not get wrong, in the forms that generated C has. Stands behind the text of kernel_rt.h and
 * the helpers of kernels/emit/kernel_c.py; jitcore/toolchain/selftest.py calls each test and compares with NumPy.
 *
 * A test reads a and b, writes out, and is called between the clearing and the reading of the flags.
 */
typedef void test_fn(const void *a, const void *b, void *out, i64 n);

#define TEST(name, T, R, ...) \
static void __attribute__((noinline)) name(const void *a, const void *b, void *out, i64 n) \
{ \
    const T *restrict xs = a, *restrict ys = b; \
    R *restrict zs = out; \
    RT_INDEPENDENT \
    for (i64 i = 0; i < n; i++) { const T x = xs[i], y = ys[i]; zs[i] = __VA_ARGS__; } \
}

/* The value is not read: only its flags are asked for. */
#define TEST_SUNK(name, T, U, expression, ...) \
static void __attribute__((noinline)) name(const void *a, const void *b, void *out, i64 n) \
{ \
    const T *restrict xs = a, *restrict ys = b; \
    T *restrict zs = out; \
    U sink = 0; \
    RT_INDEPENDENT \
    for (i64 i = 0; i < n; i++) { \
        const T x = xs[i], y = ys[i], v = expression; \
        zs[i] = __VA_ARGS__; \
        sink |= rt_bits_##T(v); \
    } \
    __asm__ volatile("" :: "r"(sink)); \
}

TEST(add_d, f64, f64, x + y)
TEST(sub_d, f64, f64, x - y)
TEST(mul_d, f64, f64, x * y)
TEST(div_d, f64, f64, x / y)
TEST(add_f, f32, f32, x + y)
TEST(sub_f, f32, f32, x - y)
TEST(mul_f, f32, f32, x * y)
TEST(div_f, f32, f32, x / y)
TEST(root_d, f64, f64, __builtin_sqrt(x) * y)
TEST(root_f, f32, f32, __builtin_sqrtf(x) * y)
TEST(chain_d, f64, f64, x * y + x * x - y / 3.0)
TEST(chain_f, f32, f32, x * y + x * x - y / 3.0f)
TEST(zero_d, f64, f64, (x + 0.0) * y)
TEST(negative_d, f64, f64, 0.0 - x + -y)
TEST(magnitude_d, f64, f64, __builtin_fabs(x) - y)
TEST(narrow_d, f64, f32, (f32)(x * y))
TEST(wide_f, f32, f64, (f64)x * (f64)y)
TEST(less_d, f64, u8, __builtin_isless(x, y))
TEST(less_f, f32, u8, __builtin_isless(x, y))
TEST(equal_d, f64, u8, x == y)
TEST(choose_d, f64, f64, rt_select_f64(__builtin_isless(x, y), x, y))
TEST(both_d, f64, f64, rt_select_f64(__builtin_isless(x, y), x / y, x * y))
TEST(both_f, f32, f32, rt_select_f32(__builtin_isless(x, y), x / y, x * y))
TEST(either_way_d, f64, f64, rt_select_f64(__builtin_isless(x, 0.5), __builtin_sqrt(x), -0.0))
TEST_SUNK(sunk_d, f64, u64, x / y, x)
TEST_SUNK(sunk_f, f32, u32, x / y, x)
TEST_SUNK(either_d, f64, u64, x / y, rt_select_f64(__builtin_isless(x, x), v, y))
TEST_SUNK(never_d, f64, u64, x / y, __builtin_isless(v, v))
TEST(add_i, i32, i32, x + y)
TEST(mul_i, i32, i32, x * y)
TEST(add_b, i8, i8, (i8)(x + y))
TEST(mul_l, i64, i64, x * y)
TEST(above_l, i64, u8, x + 1 > x)

/* Folds go in order, whatever stands before the loop. */
#define FOLD(name, T, op) \
static void __attribute__((noinline)) name(const void *a, const void *b, void *out, i64 n) \
{ \
    const T *restrict xs = a, *restrict ys = b; \
    T r = xs[0]; \
    RT_INDEPENDENT \
    for (i64 i = 1; i < n; i++) { const T v = xs[i] * ys[i]; r = r op v; } \
    *(T *)out = r; \
}

FOLD(sum_d, f64, +)
FOLD(sum_f, f32, +)
FOLD(product_d, f64, *)
FOLD(product_f, f32, *)

/* A part each is compiled side by side; what its table does not name is dropped. */
static test_fn *const volatile tests[] = {
#if PART == 0
    add_d, sub_d, mul_d, div_d, add_f, sub_f, mul_f, div_f, root_d, root_f, chain_d, chain_f, zero_d, negative_d,
    magnitude_d, narrow_d, wide_f, less_d, less_f,
#else
    equal_d, choose_d, both_d, both_f, either_way_d, sunk_d, sunk_f, either_d, never_d,
    add_i, mul_i, add_b, mul_l, above_l, sum_d, sum_f, product_d, product_f,
#endif
};

__attribute__((visibility("default"))) int jitcore_kernel(int number, const void *a, const void *b, void *out, i64 n)
{
    rt_clear();
    tests[number](a, b, out, n);
    return rt_flags();
}
