#include "policy/hook_lease.h"

#include "frame/hook.h"
#include "policy/constants.h"
#include "policy/hotness.h"

int jit_lease_on;
static long frames_left; /* without anything to do, until the hook goes */

static void extend(long least) {
    if (frames_left < least)
        frames_left = least;
    if (jit_lease_on)
        return;
    jit_lease_on = 1;
    jit_hook_use(1);
}

void lease_begin(void) { extend(LEASE_FRAMES); }

void lease_begin_short(void) { extend(LEASE_FRAMES_FOR_ONE); }

void lease_end(void) {
    if (!jit_lease_on)
        return;
    jit_lease_on = 0;
    frames_left = 0;
    jit_hook_use(-1);
}

void lease_met_frame(void) {
    if (--frames_left > 0 || hotness_seconds() <= 0)
        return;
    if (hotness_lets_hook_go(LEASE_FRAMES * LEASE_FRAME_SECONDS))
        lease_end();
    else
        frames_left = LEASE_FRAMES;
}

void lease_worked(void) {
    if (jit_lease_on) {
        frames_left = LEASE_FRAMES;
        hotness_used_hook();
    }
}

/* Whether that makes as many as at first. */
static int pay(double frames) {
    double paid = (double)frames_left + frames;
    frames_left = paid < LEASE_FRAMES ? (long)paid : LEASE_FRAMES;
    return paid >= LEASE_FRAMES;
}

void lease_gained(double seconds) {
    if (seconds == 0)
        lease_worked();
    else if (jit_lease_on && seconds > 0 && pay(seconds / LEASE_FRAME_SECONDS))
        hotness_used_hook();
}

static __thread double warm; /* seconds in frames of such code on this thread, each counted once */

double lease_warm(void) { return warm; }

/* By the time that none of those in it has paid by. */
void lease_warmed(double seconds, double worth, double before) {
    double own = before + seconds - warm;
    if (!jit_lease_on || own <= 0)
        return;
    warm += own;
    pay(1 + LEASE_WARM_SHARE / LEASE_FRAME_SECONDS * worth * own);
}
