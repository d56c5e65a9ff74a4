/* A clock that costs a few nanoseconds: was that call a long one? */
#ifndef JITCORE_POLICY_CYCLES_H
#define JITCORE_POLICY_CYCLES_H

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t ticks_now(void) { return __rdtsc(); }

#else
#include <time.h>

static inline uint64_t ticks_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

#endif
