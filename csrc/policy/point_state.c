#include "policy/point_state.h"

#include "policy/budget.h"
#include "policy/hotness.h"

#include <math.h>

/* Code that is hot because it is called often is compiled where its frames begin, or first pass a point without an entry:
 * not from somewhere in a loop on, unless this frame alone has been in it for long enough. */
static int is_for_another(const PointState *state, const Activation *activation, const CodeEntry *code_entry) {
    if (activation->first_cold_point == NULL || activation->first_cold_point == state || activation->began == 0)
        return 0;
    return !hotness_reached(code_entry, hotness_since(code_entry, activation->began));
}

static void skip_some(PointState *state, CodeEntry *code_entry, const JitFrame *frame) {
    double now = budget_clock(), since = now - state->looked_at;
    state->looked_at = now;
    if (since >= SHORT_ITERATION) /* one iteration, or all that were skipped */
        return;
    state->visits_until_clock = CLOCK_BACKOFF;
    hotness_passed(code_entry, frame, CLOCK_BACKOFF);
}

/* What a frame has done before it came here first, it has done: a script that reads its data for a second, and then goes three
 * iterations, gains nothing. */
int point_state_is_hot(PointState *state, Activation *activation) {
    CodeEntry *code_entry = offset_map_of(JIT_CODE(activation->frame))->code_entry;
    int is_cold = state->life.now == STATE_COLD;
    if (code_entry->hot && !is_cold && !is_for_another(state, activation, code_entry))
        return 1;
    unsigned visits = ++state->visits;
    hotness_passed(code_entry, activation->frame, 1);
    int comes = state->timed != activation->serial, counts = !code_entry->hot && activation->began > 0;
    if (comes && counts) {
        state->timed = activation->serial;
        state->timed_since = budget_clock();
    }
    if (counts && (comes || visits < CLOCK_ALWAYS || visits % CLOCK_SAMPLE == 0 || budget_is_spent()))
        code_entry->hot = hotness_reached(code_entry, code_entry->spent + hotness_since(code_entry, state->timed_since));
    int once = is_cold && visits == 1 && hotness_seconds() > 0; /* nothing is gained */
    if (code_entry->hot && !once && !is_for_another(state, activation, code_entry))
        return 1;
    if (activation->first_cold_point == NULL)
        activation->first_cold_point = state;
    if (is_cold && visits > CLOCK_ALWAYS && budget_is_spent())
        skip_some(state, code_entry, activation->frame);
    return 0;
}

void point_state_cool(PointState *state, CodeEntry *code_entry, Activation *activation, double cost) {
    if (!code_entry->measured)
        return;
    code_entry->hot = 0;
    code_entry->spent = code_entry->work = 0;
    code_entry->cost += cost;
    activation->began = state->timed_since = code_entry->cooled = budget_clock();
    activation->first_cold_point = NULL;
    state->timed = activation->serial;
}

/* Compiling there took too long for what its code has run. */
static int is_too_soon(PointState *state) {
    if (state->closed_until > 0 && budget_clock() >= state->closed_until)
        state->closed_until = 0;
    return state->closed_until > 0;
}

int point_state_miss(PointState *state, const Activation *activation) {
    int closed = state->closed || state->closed_for == activation->serial || is_too_soon(state);
    if (closed && state->misses_in_a_row < MAX_MISSES && ++state->misses_in_a_row == MAX_MISSES)
        life_on(&state->life, EVENT_MISSES, 1);
    return closed;
}

void point_state_note_penalised(PointState *state) {
    if (++state->penalised_in_a_row < MAX_PENALISED)
        return;
    state->penalised_in_a_row = 0;
    life_penalise(&state->life, EVENT_CROWD, POINT_PENALTY);
}

void point_state_pay(PointState *state, int visits) {
    state->life.penalty -= visits;
    if (state->life.penalty > 0)
        return;
    life_end_penalty(&state->life, EVENT_PAID, 0);
    if (state->misses_in_a_row >= MAX_MISSES)
        life_on(&state->life, EVENT_MISSES, 1);
}

PyObject *point_state_again(const PointState *state) {
    double seconds = state->closed_until > 0 ? fmax(state->closed_until - budget_clock(), 0) : 0;
    switch (state->life.now) {
    case STATE_PENALISED:
        return PyLong_FromLong(state->life.penalty);
    case STATE_BACKED_OFF:
        return PyLong_FromLong(BACKOFF_VISITS - state->backoff_visits % BACKOFF_VISITS);
    case STATE_COLD:
        return PyFloat_FromDouble(hotness_seconds());
    default:
        return seconds > 0 && state->life.now != STATE_DEAD ? PyFloat_FromDouble(seconds) : Py_NewRef(Py_None);
    }
}
