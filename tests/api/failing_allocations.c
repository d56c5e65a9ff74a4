/* Between a program and the C library: the n-th call of an allocation, or of a new thread, that
 * comes from the watched range of addresses fails. Preloaded by test_out_of_memory.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_memalign(size_t, size_t);

static uintptr_t watched[2];
static atomic_long left = -1, seen;

void watch(uintptr_t begin, uintptr_t end) {
    watched[0] = begin;
    watched[1] = end;
}

/* n < 0: none fails. */
void fail(long n) {
    atomic_store(&seen, 0);
    atomic_store(&left, n);
}

long calls_seen(void) { return atomic_load(&seen); }

static int fails(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    if (at < watched[0] || at >= watched[1])
        return 0;
    atomic_fetch_add(&seen, 1);
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }

int posix_memalign(void **made, size_t alignment, size_t size) {
    if (FAILS)
        return ENOMEM;
    *made = __libc_memalign(alignment, size);
    return *made ? 0 : ENOMEM;
}

typedef void *(*Map)(void *, size_t, int, int, int, off_t);

void *mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    static Map real;
    if (FAILS)
        return MAP_FAILED;
    if (real == NULL)
        real = (Map)dlsym(RTLD_NEXT, "mmap64");
    return real(at, size, protection, flags, file, offset);
}

typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *made, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    static Create real;
    if (FAILS)
        return EAGAIN;
    if (real == NULL)
        real = (Create)dlsym(RTLD_NEXT, "pthread_create");
    return real(made, how, run, with);
}
