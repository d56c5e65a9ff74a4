#include "policy/hook_lease.h"

#include "frame/hook.h"
#include "policy/hotness.h"

#define FRAMES 20000         /* some milliseconds of Python calls */
#define FRAMES_FOR_ONE 1000
#define FRAME_SECONDS 150e-9 /* that a call takes longer meanwhile, as nothing is specialised for it, either */
#define WARM_SHARE 0.02      /* of the time in code that is about to be compiled */

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

void lease_begin(void) { extend(FRAMES); }

void lease_begin_short(void) { extend(FRAMES_FOR_ONE); }

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
    if (hotness_lets_hook_go(FRAMES * FRAME_SECONDS))
        lease_end();
    else
        frames_left = FRAMES;
}

void lease_worked(void) {
    if (jit_lease_on) {
        frames_left = FRAMES;
        hotness_used_hook();
    }
}

/* Whether that makes as many as at first. */
static int pay(double frames) {
    double paid = (double)frames_left + frames;
    frames_left = paid < FRAMES ? (long)paid : FRAMES;
    return paid >= FRAMES;
}

void lease_gained(double seconds) {
    if (seconds == 0)
        lease_worked();
    else if (jit_lease_on && seconds > 0 && pay(seconds / FRAME_SECONDS))
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
    pay(1 + WARM_SHARE / FRAME_SECONDS * worth * own);
}
