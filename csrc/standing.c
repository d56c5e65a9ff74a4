#include "standing.h"

#include "everywhere.h"
#include "frame_hook.h"

#define FRAMES 20000         /* some milliseconds of Python calls */
#define FRAMES_FOR_ONE 1000
#define FRAME_SECONDS 150e-9 /* that a call takes longer meanwhile, as nothing is specialised for it, either */
#define WARM_SHARE 0.02      /* of the time in code that is about to be compiled */

int jit_standing;
static long left; /* frames without anything to do, until it goes */

static void stand_for(long least) {
    if (left < least)
        left = least;
    if (jit_standing)
        return;
    jit_standing = 1;
    jit_hook_use(1);
}

void standing_begin(void) { stand_for(FRAMES); }

void standing_for_one(void) { stand_for(FRAMES_FOR_ONE); }

void standing_end(void) {
    if (!jit_standing)
        return;
    jit_standing = 0;
    left = 0;
    jit_hook_use(-1);
}

void standing_met_frame(void) {
    if (--left > 0 || everywhere_seconds() <= 0)
        return;
    if (everywhere_rests(FRAMES * FRAME_SECONDS))
        standing_end();
    else
        left = FRAMES;
}

void standing_worked(void) {
    if (jit_standing) {
        left = FRAMES;
        everywhere_worked();
    }
}

/* Whether that makes as many as at first. */
static int pay(double frames) {
    double paid = (double)left + frames;
    left = paid < FRAMES ? (long)paid : FRAMES;
    return paid >= FRAMES;
}

void standing_gained(double seconds) {
    if (seconds == 0)
        standing_worked();
    else if (jit_standing && seconds > 0 && pay(seconds / FRAME_SECONDS))
        everywhere_worked();
}

static __thread double warm; /* seconds in frames of such code on this thread, each counted once */

double standing_warm(void) { return warm; }

/* By the time that none of those in it has paid by. */
void standing_warmed(double seconds, double worth, double before) {
    double own = before + seconds - warm;
    if (!jit_standing || own <= 0)
        return;
    warm += own;
    pay(1 + WARM_SHARE / FRAME_SECONDS * worth * own);
}
