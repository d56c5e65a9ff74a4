/* What generated routines (scalar code with loops) share with csrc/loop/loop.c; the text stands behind kernel_rt.h at the head
 * of every routine.
 *
 * A routine is `int routine(const rt_slot *in, rt_slot *out, char *const *p, const i64 *const *dim, const i64 *const *step,
 * rt_world *world)`:
 *   in     its scalars           p, dim, step   its arrays: first element, extents, byte strides
 *   out    what the way by which it is left hands on
 * It returns the number of that way; 0: it ran to its end. Where the rounds of its outermost loop may be dealt out (csrc/loop/doall.h),
 * it does those from `begin` to before `end`; RT_PAUSED: others are left.
 */
#ifndef JITCORE_ROUTINE_RT_H
#define JITCORE_ROUTINE_RT_H

#define RT_AXES 4
#define STALE 1
#define VERY_STALE 2
#define RT_PAUSED (-2)
#define RT_ALL ((i64)0x7fffffffffffffff)

typedef union {
    i64 i;
    f64 d;
    c128 z;
    char bytes[16];
    struct {
        char *first;
        i64 extents[RT_AXES], steps[RT_AXES];
    } part; /* an array that was made, in C order, in a room; with its steps, where a call takes it */
} rt_slot;

/* A buffer of a routine (csrc/loop/scratch.h). */
typedef struct {
    char *first;
    i64 size;
    int pooled;
} rt_room;

#define RT_AHEAD 32

/* Products of vectors that the rounds `from` to before `to` of a loop will want, if they are `ready`; of vectors that grow,
 * the sums of their first elements (csrc/numpy/blas_dot.h). */
typedef struct {
    i64 from, to, done;
    int ready;
    f64 first[RT_AHEAD], second[RT_AHEAD];
} rt_ahead;

#define RT_ROWS 24

/* Products of a vector and a matrix that the rounds `from` to before `to` will want, if they are `ready`: `row` bytes from one to the
 * next (csrc/numpy/blas_gemv.h). */
typedef struct {
    i64 from, to, row;
    int ready;
} rt_rows;

#define RT_LOOK 0
#define RT_DO 1
#define RT_UNDO 2
#define RT_LOG ((i64)24 << 20) /* bytes that are kept of a stretch */
#define RT_SHORT_LOG ((i64)1 << 20) /* and fit into a cache */

/* Blocks `from` to before `to` of strands (csrc/loop/blocks.h), in so many rounds from `first` on. RT_LOOK: how many of these can be done,
 * with no element touched. RT_UNDO: what they wrote is as it was. A routine has a struct of its own, which begins with this one: `all`. */
typedef struct {
    int mode;
    i64 from, to, first, rounds;
    char *log;
} rt_strands;
typedef int rt_strand(rt_strands *own, const rt_strands *all);

/* CPython wants to look at signals, or another thread wants to run, when one of `bits` is set in *breaker. */
typedef struct rt_world {
    const volatile u32 *breaker;
    u32 bits;
    const rt_loop *loop;
    void *float_type;
    int (*whole)(const void *obj, i64 *out);               /* 1: a Python int that fits */
    int (*fits)(int kind, int num, void *obj, void *slot); /* 1: a number of this kind */
    int (*put)(void **place, int kind, int num, const rt_slot *slot); /* 1: it is the list's item there */
    int (*append)(void *list, int kind, int num, const rt_slot *slot);
    int (*room)(rt_room *rooms, i64 k, i64 bytes); /* 1: it has so many, and anything in it */
    rt_room *rooms;
    i64 *rounds; /* of its loops, when it is left; many, where CPython would leave them, too */
    int (*call)(struct rt_world *world, i64 k, rt_slot *operands, rt_slot *out); /* csrc/loop/call_out.h */
    void *calls;
    int stale; /* the next round begins in CPython, where guards are asked: STALE, of the outermost loop; VERY_STALE, of any */
    i64 begin, end, count; /* of the outermost loop: what to do, and how many rounds it has */
    int sure; /* a warning, given now, could neither raise nor run code of the user's */
    i64 stored; /* bytes for whose sake that is asked before the launch */
    f64 (*dot)(const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y, i64 y_step); /* csrc/numpy/blas_dot.h */
    void (*ahead)(rt_ahead *ahead, i64 from, i64 lanes, i64 n, const char *x, i64 x_step, i64 x_lane, const char *y,
                  i64 y_step, i64 y_lane, int growing);
    f64 (*on)(const rt_ahead *ahead, i64 at, const rt_loop *matmul, i64 n, const char *x, i64 x_step, const char *y,
              i64 y_step);
    void (*rows)(rt_rows *rows, i64 from, i64 lanes, i64 n, i64 p, const char *x, i64 x_step, i64 x_lane, const char *y, i64 y_step,
                 i64 y_column, i64 y_lane, int rest, char *room); /* csrc/numpy/blas_gemv.h */
    int (*strands)(rt_strand *fn, rt_strands *job, i64 elements); /* csrc/loop/blocks.h */
} rt_world;

/* The value of an exact Python float: type, reference count, value (Include/cpython/floatobject.h). */
static inline int rt_float(const void *obj, const rt_world *world, f64 *out)
{
    if (((void *const *)obj)[1] != world->float_type)
        return 0;
    *out = ((const f64 *)obj)[2];
    return 1;
}

/* Of a string with characters of so many bytes. */
static inline u32 rt_character(const char *text, i64 size, i64 at)
{
    return size == 1 ? ((const u8 *)text)[at] : size == 2 ? ((const u16 *)text)[at] : ((const u32 *)text)[at];
}

/* What a room has, and more of it: the next one takes over. */
static inline int rt_grow(const rt_world *world, i64 k, i64 bytes)
{
    rt_room *rooms = world->rooms, before = rooms[k];
    if (!world->room(rooms, k + 1, 2 * bytes))
        return 0;
    if (before.size > 0)
        __builtin_memcpy(rooms[k + 1].first, before.first, (unsigned long)before.size);
    rooms[k] = rooms[k + 1];
    rooms[k + 1] = before;
    return 1;
}

/* Division as Python's: towards minus infinity. */
static inline i64 rt_whole_div(i64 a, i64 b)
{
    i64 q = a / b;
    return q - ((a % b != 0) & ((a < 0) != (b < 0)));
}

static inline i64 rt_whole_mod(i64 a, i64 b)
{
    i64 r = a % b;
    return r + (((r != 0) & ((a < 0) != (b < 0))) ? b : 0);
}

static inline i64 rt_range_count(i64 start, i64 stop, i64 step)
{
    if (step > 0)
        return start < stop ? (stop - start + step - 1) / step : 0;
    return stop < start ? (start - stop - step - 1) / -step : 0;
}

/* Not 0: the exponent is negative, or the power does not fit. */
static inline int rt_whole_power(i64 a, i64 b, i64 *out)
{
    i64 made = 1;
    int wide = 0;
    if (b < 0)
        return 1;
    for (;;) {
        if (b & 1 && (wide || __builtin_mul_overflow(made, a, &made)))
            return 1;
        b >>= 1;
        if (b == 0)
            break;
        wide |= __builtin_mul_overflow(a, a, &a);
    }
    *out = made;
    return 0;
}

/* Into a room, if there is memory for it: else where it is, and *missed. */
static inline char *rt_copy(const rt_world *world, i64 k, char *first, i64 bytes, int *missed)
{
    if (world->rooms[k].size < bytes && !world->room(world->rooms, k, bytes)) {
        *missed = 1;
        return first;
    }
    if (bytes > 0)
        __builtin_memcpy(world->rooms[k].first, first, (unsigned long)bytes);
    return world->rooms[k].first;
}

static inline void rt_exchange(rt_room *rooms, i64 a, i64 b)
{
    rt_room room = rooms[a];
    rooms[a] = rooms[b];
    rooms[b] = room;
}

/* Where a slice of n items begins, and how many it has; what is not given is what Python takes it for. */
static inline i64 rt_bound(i64 n, i64 at, i64 step)
{
    if (at < 0)
        at += n;
    if (step > 0)
        return at < 0 ? 0 : at > n ? n : at;
    return at < 0 ? -1 : at >= n ? n - 1 : at;
}

static inline i64 rt_items(i64 start, i64 stop, i64 step)
{
    if (step > 0)
        return start < stop ? (stop - start - 1) / step + 1 : 0;
    return stop < start ? (start - stop - 1) / -step + 1 : 0;
}

/* ---- parts of arrays that may share memory: extents and steps in bytes, and the bytes of an element ---- */

#define RT_FEW(...) ((const i64[]){__VA_ARGS__})

/* From the first element, the first byte below and the first behind. */
static inline void rt_reach(int ndim, const i64 *extents, const i64 *steps, i64 size, i64 *low, i64 *high)
{
    *low = 0;
    *high = size;
    for (int axis = 0; axis < ndim; axis++) {
        i64 far = (extents[axis] - 1) * steps[axis];
        *(far < 0 ? low : high) += far;
    }
}

/* Of the axes that lead anywhere: the least step, if all others are multiples of it; else 1. */
static inline i64 rt_pitch(i64 found, int ndim, const i64 *extents, const i64 *steps)
{
    for (int axis = 0; axis < ndim; axis++) {
        i64 step = steps[axis] < 0 ? -steps[axis] : steps[axis];
        if (extents[axis] < 2 || found == 1)
            continue;
        if (found == 0 || (step != 0 && found % step == 0))
            found = step;
        else if (step == 0 || step % found != 0)
            found = 1;
    }
    return found;
}

/* 1: no byte of the one is a byte of the other, since they lie apart, or as columns of one array do. 0: who knows. */
static inline int rt_apart(int ndim, const char *a, const i64 *extents, const i64 *steps, i64 size, int other_ndim,
                           const char *b, const i64 *other_extents, const i64 *other_steps, i64 other_size)
{
    i64 low, high, other_low, other_high, gap = b - a;
    rt_reach(ndim, extents, steps, size, &low, &high);
    rt_reach(other_ndim, other_extents, other_steps, other_size, &other_low, &other_high);
    if (high <= gap + other_low || gap + other_high <= low)
        return 1;
    i64 pitch = rt_pitch(rt_pitch(0, ndim, extents, steps), other_ndim, other_extents, other_steps);
    if (pitch < 2)
        return 0;
    i64 after = gap % pitch + (gap % pitch < 0 ? pitch : 0);
    return after >= size && after + other_size <= pitch;
}

/* The same; asked seldom, so that its text stands once. */
static __attribute__((noinline, unused)) int rt_lie_apart(int ndim, const char *a, const i64 *extents, const i64 *steps, i64 size,
                                                          int other_ndim, const char *b, const i64 *other_extents,
                                                          const i64 *other_steps, i64 other_size)
{
    return rt_apart(ndim, a, extents, steps, size, other_ndim, b, other_extents, other_steps, other_size);
}

/* 1: no element of the array lies where another one does. */
static __attribute__((noinline, unused)) int rt_distinct(int ndim, const i64 *extents, const i64 *steps, i64 size)
{
    for (int axis = 0; axis < ndim; axis++) {
        i64 step = steps[axis] < 0 ? -steps[axis] : steps[axis];
        i64 within = size; /* bytes of the axes with shorter steps */
        for (int other = 0; other < ndim; other++) {
            i64 one = steps[other] < 0 ? -steps[other] : steps[other];
            if (other != axis && extents[other] > 1 && (one < step || (one == step && other > axis)))
                within += (extents[other] - 1) * one;
        }
        if (extents[axis] > 1 && step < within)
            return 0;
    }
    return 1;
}

/* Between two items of an axis, in either order, as far as there are any: the first, and how many. */
static inline i64 rt_within(i64 a, i64 b, i64 extent, i64 *first)
{
    i64 low = a < b ? a : b, high = a < b ? b : a;
    if (low < 0)
        low = 0;
    if (high >= extent)
        high = extent - 1;
    *first = low;
    return high < low ? 0 : high - low + 1;
}

/* Rows of columns of elements, into a room; `back`: out of it. */
static __attribute__((noinline, unused)) void rt_keep(char *first, i64 rows, i64 row_step, i64 columns, i64 column_step, i64 size,
                                                      char *room, int back)
{
    i64 piece = column_step == size ? columns * size : size, pieces = column_step == size ? 1 : columns;
    for (i64 row = 0; row < rows; row++)
        for (i64 k = 0; k < pieces; k++, room += piece) {
            char *at = first + row * row_step + k * column_step;
            __builtin_memcpy(back ? at : room, back ? room : at, (unsigned long)piece);
        }
}

static inline int rt_sure(rt_world *world, i64 bytes)
{
    world->stored += bytes;
    return world->sure;
}

#ifdef RT_MATH /* csrc/loop/loop.c has no use for it */

/* libm's own functions under names of ours, so that the compiler does not know better. */
#define RT_LIBM(name) f64 rt_##name(f64) __asm__(#name);
#define RT_LIBM_2(name) f64 rt_##name(f64, f64) __asm__(#name);
RT_LIBM(exp) RT_LIBM(log) RT_LIBM(log2) RT_LIBM(log10) RT_LIBM(log1p) RT_LIBM(expm1) RT_LIBM(sin) RT_LIBM(cos)
RT_LIBM(tan) RT_LIBM(asin) RT_LIBM(acos) RT_LIBM(atan) RT_LIBM(sinh) RT_LIBM(cosh) RT_LIBM(tanh) RT_LIBM(asinh)
RT_LIBM(acosh) RT_LIBM(atanh) RT_LIBM(fabs) RT_LIBM(erf) RT_LIBM(erfc) RT_LIBM(cbrt) RT_LIBM(exp2)
RT_LIBM_2(atan2) RT_LIBM_2(pow) RT_LIBM_2(copysign) RT_LIBM_2(fmod) RT_LIBM_2(hypot)

/* Of finite numbers, b not 0: what is left has the sign of b, the quotient is the nearest whole number below. */
static inline f64 rt_real_mod(f64 a, f64 b)
{
    f64 r = rt_fmod(a, b);
    if (r == 0)
        return __builtin_copysign(0.0, b);
    return (b < 0) != (r < 0) ? r + b : r;
}

static inline f64 rt_real_div(f64 a, f64 b)
{
    f64 r = rt_fmod(a, b), q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0))
        q -= 1.0;
    if (q == 0)
        return __builtin_copysign(0.0, a / b);
    f64 whole = __builtin_floor(q);
    return q - whole > 0.5 ? whole + 1.0 : whole;
}

#endif

#endif
