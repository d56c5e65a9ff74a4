/* What generated C and the launcher share: fixed-width names, the call of a NumPy inner loop, floating-point flags.
 *
 * The text of this file stands at the head of every generated source, so it includes nothing on
 * x86-64: parsing system headers would cost more than compiling most kernels.
 *
 * A kernel is `int kernel(char *const *p, const i64 *dim, const i64 *step, const rt_loop *loop)`:
 *   p      one pointer per operand, inputs first, then outputs (which overlap nothing, but for one that may be an input)
 *   dim    the loop's extents, outermost first; then, where whole reductions may be cut, RT_WHOLE or what else to do;
 *          then where the part begins along the axis that is cut
 *   step   byte strides, operand by operand: step[k * depth + axis]
 *   loop   NumPy's inner loops that the kernel calls
 * It returns the flags it had to read before NumPy's loops cleared them, with RT_DOUBT where a value
 * has no defined C conversion and RT_ERROR where a loop failed. The caller reads the remaining flags.
 */
#ifndef JITCORE_KERNEL_RT_H
#define JITCORE_KERNEL_RT_H

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;

#define RT_ABI 1

/* Bits as x86's MXCSR has them; elsewhere they are translated. */
#define RT_INVALID 0x01
#define RT_DIVIDE 0x04
#define RT_OVER 0x08
#define RT_UNDER 0x10
#define RT_FLAGS 0x1d
#define RT_DOUBT 0x100
#define RT_ERROR 0x200

/* Whole reductions: in one go, or parts one by one, then joined two by two, then finished.
 * RT_JOIN: p is followed by the same pointers once more, to the part that joins. */
#define RT_WHOLE 0
#define RT_PART 1
#define RT_JOIN 2
#define RT_FINISH 3

/* Before a loop whose stores meet none of its loads. clang's own pragma would also let it add and multiply in another
 * order. */
#if defined(__clang__)
#define RT_INDEPENDENT
#else
#define RT_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* NumPy's PyArrayMethod_StridedLoop with its context, see ufunc._get_strided_loop. */
typedef int rt_strided_loop(void *context, char *const *data, const i64 *dim, const i64 *step, void *aux);

/* NumPy's PyArray_ArgFunc: where the largest of a row is, or the least. It has `fn`'s place in an rt_loop. */
typedef int rt_search(void *row, i64 count, i64 *place, void *array);

typedef struct {
    rt_strided_loop *fn;
    void *context;
    void *aux;
} rt_loop;

/* A float is computed here, whether or not it is read, and where: for its flags. */
#if defined(__x86_64__)
#define RT_COMPUTED(x) __asm__ __volatile__("" : : "x"(x))
#elif defined(__aarch64__)
#define RT_COMPUTED(x) __asm__ __volatile__("" : : "w"(x))
#else
#define RT_COMPUTED(x) __asm__ __volatile__("" : : "m"(x))
#endif

/* An array of C's is filled, whether or not it is read. */
#define RT_FILLED(array) __asm__ __volatile__("" : : "r"(array) : "memory")

#if defined(__x86_64__)

/* The memory clobbers keep stores, and so the arithmetic before them, on their side. */
static inline int rt_flags(void)
{
    u32 sse;
    u16 x87;
    __asm__ __volatile__("stmxcsr %0" : "=m"(sse) : : "memory");
    __asm__ __volatile__("fnstsw %0" : "=a"(x87) : : "memory");
    return (int)(sse | x87) & RT_FLAGS;
}

static inline void rt_clear(void)
{
    u32 sse;
    u16 x87;
    __asm__ __volatile__("stmxcsr %0" : "=m"(sse) : : "memory");
    __asm__ __volatile__("fnstsw %0" : "=a"(x87) : : "memory");
    if (sse & RT_FLAGS) {
        sse &= ~(u32)RT_FLAGS;
        __asm__ __volatile__("ldmxcsr %0" : : "m"(sse) : "memory");
    }
    if (x87 & RT_FLAGS)
        __asm__ __volatile__("fnclex" : : : "memory");
}

#else
#include <fenv.h>

static inline int rt_flags(void)
{
    int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    return (raised & FE_INVALID ? RT_INVALID : 0) | (raised & FE_DIVBYZERO ? RT_DIVIDE : 0)
           | (raised & FE_OVERFLOW ? RT_OVER : 0) | (raised & FE_UNDERFLOW ? RT_UNDER : 0);
}

static inline void rt_clear(void)
{
    feclearexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
}
#endif

#endif
