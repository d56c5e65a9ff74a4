#include "plan/run.h"

#include "frame/frame.h"
#include "frame/hook.h"
#include "guards/weak_identity.h"
#include "kernel/launch.h"
#include "loop/call_out.h"
#include "loop/loop.h"
#include "numpy/errstate.h"
#include "observe/meter.h"

#define FEW 16
#define LAUNCH 500 /* nanoseconds, of a native loop; */
#define LAUNCH_ALONE 150 /* without a frame, beyond what CPython takes for a call */
#define MOST_GAIN 1000 /* launches: what is more makes no difference */
#define FOR_GOOD ((i64)1 << 40) /* iterations that a native loop adds where CPython would leave its loop, too */
#define FEW_ITERATIONS 8 /* of a native loop that was left: entering it again costs as much as CPython takes for them */

/* ---------------------------------------------------------------- steps */

/* What a step calls, a new reference: a callable of the user's is known weakly, and what it does may let go of it. */
static PyObject *callee(const PlanRun *run, int operand) {
    PyObject *fn = get(run, operand);
    if (Py_IS_TYPE(fn, &WeakIdentity_Type) && (fn = weak_identity_object(fn)) == NULL)
        PyErr_SetString(PyExc_ReferenceError, "jitcore: what a step calls is gone");
    return Py_XNewRef(fn);
}

static PyObject *call_function(const PlanRun *run, int operand, const int *args, int count, PyObject *names) {
    PyObject *few[FEW + 1], **all = few;
    if (count > FEW && (all = PyMem_Malloc((count + 1) * sizeof(PyObject *))) == NULL)
        return PyErr_NoMemory();
    for (int i = 0; i < count; i++)
        all[i + 1] = get(run, args[i]);
    Py_ssize_t positional = count - (names ? PyTuple_GET_SIZE(names) : 0);
    PyObject *fn = callee(run, operand), *result = NULL;
    if (fn != NULL)
        result = PyObject_Vectorcall(fn, all + 1, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    Py_XDECREF(fn);
    if (all != few)
        PyMem_Free(all);
    return result;
}

static int run_kernel(PlanRun *run, const int *w) {
    int nin = w[2], nout = w[3];
    PyObject *few[FEW], **inputs = few;
    if (nin + nout > FEW && (inputs = PyMem_Malloc((nin + nout) * sizeof(PyObject *))) == NULL)
        return -1;
    PyObject **outputs = inputs + nin;
    for (int i = 0; i < nin; i++)
        inputs[i] = get(run, w[4 + i]);
    int status = kernel_launch(get(run, w[1]), inputs, outputs), refused = status < 0;
    run->handled = status == -2;
    for (int i = 0; i < nout && !refused; i++)
        Py_XSETREF(run->regs[w[4 + nin + i]], outputs[i]);
    if (inputs != few)
        PyMem_Free(inputs);
    return refused ? -1 : 0;
}

/* On the arguments of a call, and nobody would find that it was begun. */
static int can_roll_back(const PlanRun *run) { return run->plan->no_effects && run->view->frame == NULL; }

/* In thousandths of a launch, nanoseconds all. */
static int gain_of(i64 saved, i64 launch) {
    return saved < launch * MOST_GAIN ? (int)((saved - launch) * 1000 / launch) : MOST_GAIN * 1000;
}

/* The exit by which it is left, 0: it ran to its end. -1: memory ran out. */
static int run_native_loop(PlanRun *run, const int *w) {
    int nin = w[2], nout = w[3];
    const int *in = w + 5, *out = in + nin, *exits = out + nout;
    PyObject *few[FEW], **inputs = few;
    if (nin + nout > FEW && (inputs = PyMem_Malloc((nin + nout) * sizeof(PyObject *))) == NULL)
        return exits[0];
    PyObject **outputs = inputs + nin;
    for (int i = 0; i < nin; i++)
        inputs[i] = get(run, in[i]);
    i64 iterations;
    int side_exit = native_loop_launch(get(run, w[1]), inputs, outputs, &iterations);
    i64 counted = iterations % FOR_GOOD, saved = counted * native_loop_weight(get(run, w[1]));
    int too_short = side_exit > 0 && iterations < FEW_ITERATIONS;
    run->gain += can_roll_back(run) ? gain_of(saved, LAUNCH_ALONE) : gain_of(too_short ? 0 : saved, LAUNCH);
    for (int i = 0; i < nout && side_exit >= 0; i++)
        Py_XSETREF(run->regs[out[i]], outputs[i]);
    if (inputs != few)
        PyMem_Free(inputs);
    if (side_exit > 0 && PyErr_Occurred()) { /* a signal's handler raised inside a call */
        run->window = exits[side_exit - 1];
        run->handled = 1;
        run->effect = 0;
        return -1;
    }
    return side_exit > 0 ? exits[side_exit - 1] : side_exit;
}

static void restore_state(PlanRun *run) {
    if (run->state == NULL)
        return;
    errstate_reset(run->state);
    run->state = NULL;
    if (run->quiet)
        jit_busy_leave();
    run->quiet = 0;
}

/* Another error state until the next QUIET or LOUD; NULL: the user's. */
static int set_state(PlanRun *run, PyObject *extobj) {
    restore_state(run);
    if (extobj == NULL)
        return 0;
    run->state = errstate_set(extobj);
    return run->state == NULL ? -1 : 0;
}

/* NumPy's own calls raise where they would warn. What they run of Python is left alone: to compile it would be to compile
 * it for an error state that is not the user's. */
static int set_quiet_state(PlanRun *run, PyObject *extobj) {
    if (set_state(run, extobj) < 0)
        return -1;
    run->quiet = run->state != NULL;
    if (run->quiet)
        jit_busy_enter();
    return 0;
}

/* ---------------------------------------------------------------- exits */

static int fill_stack(PlanRun *run, const PlanExit *exit, Transfer *out) {
    out->stack = PyMem_Malloc((exit->nstack + 1) * sizeof(PyObject *));
    if (out->stack == NULL)
        return -1;
    for (int i = 0; i < exit->nstack; i++)
        out->stack[i] = Py_XNewRef(get(run, exit->stack[i]));
    out->nstack = exit->nstack;
    return 0;
}

static int fill_locals(PlanRun *run, const PlanExit *exit, Transfer *out) {
    if (exit->nlocals == 0)
        return 0;
    out->local_index = PyMem_Malloc(exit->nlocals * sizeof(int));
    out->local_value = PyMem_Malloc(exit->nlocals * sizeof(PyObject *));
    if (out->local_index == NULL || out->local_value == NULL)
        return -1;
    for (int i = 0; i < exit->nlocals; i++) {
        out->local_index[i] = exit->local_index[i];
        out->local_value[i] = Py_XNewRef(get(run, exit->local[i]));
    }
    out->nlocals = exit->nlocals;
    return 0;
}

static int fill_transfer(PlanRun *run, const PlanExit *exit, Transfer *out) {
    if (exit->kind == EXIT_RETURN) {
        out->value = Py_NewRef(get(run, exit->value));
        return 0;
    }
    out->offset = exit->offset;
    out->through_point = exit->through_point;
    if (fill_stack(run, exit, out) == 0 && fill_locals(run, exit, out) == 0)
        return 0;
    transfer_clear(out);
    return -1;
}

METERED_VARIANT int run_steps_variant(PlanRun *run, const int *w, int *reached, Meter *meter, MeterSlot *slots) {
#define METERED                                        \
    if (slots != NULL)                                 \
        meter_enter(meter, &slots[w - run->plan->words]);
    for (;;) {
        switch (w[0]) {
        case P_CALL:
            METERED
            if (put(run, w[1], call_function(run, w[2], w + 4, w[3], NULL)) < 0)
                return -1;
            w += 4 + w[3];
            break;
        case P_CALL_KW:
            METERED
            if (put(run, w[1], call_function(run, w[2], w + 5, w[4], get(run, w[3]))) < 0)
                return -1;
            w += 5 + w[4];
            break;
#define BUILD(NAME, make)                             \
    case P_##NAME:                                    \
        if (put(run, w[1], make(run, w + 3, w[2])) < 0) \
            return -1;                                \
        w += 3 + w[2];                                \
        break;
            BUILD(BUILD_TUPLE, plan_build_tuple)
            BUILD(BUILD_LIST, plan_build_list)
            BUILD(BUILD_SET, plan_build_set)
            BUILD(BUILD_MAP, plan_build_map)
#define MAKE(NAME, operands, expr)       \
    case P_##NAME:                       \
        if (put(run, w[1], (expr)) < 0)  \
            return -1;                   \
        w += operands + 1;               \
        break;
#define DO(NAME, operands, expr) \
    case P_##NAME:               \
        if ((expr) < 0)          \
            return -1;           \
        w += operands + 1;       \
        break;
            MAKE(BUILD_SLICE, 4, PySlice_New(get(run, w[2]), get(run, w[3]), get(run, w[4])))
            MAKE(METHOD, 3, PyMethod_New(get(run, w[2]), get(run, w[3])))
            MAKE(FUNCTION, 5, plan_make_function(run, w + 2))
            MAKE(ADVANCE, 3, plan_advance(get(run, w[2]), get(run, w[3])))
            MAKE(TAKE, 3, plan_take_items(get(run, w[2]), get(run, w[3])))
            MAKE(ALIVE, 2, plan_alive(get(run, w[2])))
            MAKE(CELL_NEW, 2, PyCell_New(get(run, w[2])))
            DO(CELL_SET, 2, PyCell_Set(get(run, w[1]), get(run, w[2])))
            DO(GLOBAL_SET, 2, PyDict_SetItem(run->view->globals, get(run, w[1]), get(run, w[2])))
            DO(GLOBAL_DEL, 1, PyDict_DelItem(run->view->globals, get(run, w[1])))
            DO(QUIET, 1, set_quiet_state(run, get(run, w[1])))
        case P_NUMBER:
            if (put(run, w[1], plan_number(run, get(run, w[2]), w + 4, w[3])) < 0)
                return -1;
            w += 4 + w[3];
            break;
        case P_FREE:
            Py_CLEAR(run->regs[w[1]]);
            w += 2;
            break;
        case P_KERNEL:
            METERED
            if (run_kernel(run, w) < 0)
                return -1;
            w += 4 + w[2] + w[3];
            break;
        case P_ROUTINE: {
            METERED
            int exit = run_native_loop(run, w);
            if (exit < 0)
                return -1;
            if (exit > 0) {
                int returns = run->plan->exits[exit].kind == EXIT_RETURN;
                *reached = can_roll_back(run) && !returns ? 0 : exit; /* nothing has happened: CPython makes the call */
                return 0;
            }
            w += 5 + w[2] + w[3] + w[4];
            break;
        }
        case P_WINDOW:
            run->window = w[1];
            run->effect = 0;
            run->offset = -1;
            w += 2;
            break;
        case P_LOUD:
            if (set_state(run, get(run, w[2])) < 0)
                return -1;
            run->window = w[3];
            run->effect = 1;
            run->offset = w[1];
            if (run->view->frame != NULL)
                frame_set_ip(run->view->frame, w[1]);
            w += 4;
            break;
        case P_EXIT:
            *reached = w[1];
            return 0;
        default:
            PyErr_SetString(PyExc_SystemError, "jitcore: unknown plan step");
            return -1;
        }
    }
}

/* Steps from `w` on. 0: reached EXIT, *reached says which; -1: a step failed. */
static int run_steps(PlanRun *run, const int *w, int *reached) { return run_steps_variant(run, w, reached, NULL, NULL); }

static int run_steps_metered(PlanRun *run, Meter *meter, MeterSlot *slots, int *reached) {
    return run_steps_variant(run, run->plan->words, reached, meter, slots);
}

/* The exit's own steps, then its state. -1: one of them failed, exception set. */
static int run_exit(PlanRun *run, int number, Transfer *out) {
    const PlanExit *exit = &run->plan->exits[number];
    int same;
    if (exit->kind == EXIT_MISS)
        return 0;
    run->effect = 0;
    if (run_steps(run, run->plan->words + exit->start, &same) < 0 || fill_transfer(run, exit, out) < 0) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* A failing step: dropped, if it has no effects; raised at its instruction, if it has; an interrupt is raised where the
 * window begins. */
static ExitKind exit_after_failure(PlanRun *run, Transfer *out) {
    PyObject *type, *value, *traceback;
    if (can_roll_back(run)) /* all that was done is dropped */
        run->window = run->effect = 0;
    int raises = run->effect || run->handled || handler_raised();
    if (raises && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "jitcore: a step failed without an exception");
    PyErr_Fetch(&type, &value, &traceback);
    ExitKind kind = run->plan->exits[run->window].kind;
    int effect = run->effect;
    if (run_exit(run, run->window, out) < 0) { /* out of memory: that exception wins */
        Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
        out->nstack = TRANSFER_KEEPS_STATE;
        out->offset = -1;
        return EXIT_RAISE;
    }
    if (!raises) {
        Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
        return kind;
    }
    if (kind == EXIT_MISS)
        out->nstack = TRANSFER_KEEPS_STATE;
    if (effect || kind == EXIT_MISS)
        out->offset = run->offset;
    PyErr_Restore(type, value, traceback);
    return EXIT_RAISE;
}

METERED_VARIANT ExitKind run_plan(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out, int *failed,
                                  int *gain, Meter *meter, MeterSlot *slots, int *exit_taken) {
    PlanRun run = {.plan = plan, .view = view, .regs = regs, .offset = -1};
    int reached;
    if (view->frame != NULL)
        run.ip = JIT_IP(view->frame);
    int bad = (slots != NULL ? run_steps_metered(&run, meter, slots, &reached) : run_steps(&run, plan->words, &reached)) < 0;
    if (slots != NULL && !bad)
        *exit_taken = reached;
    restore_state(&run);
    if (view->frame != NULL)
        JIT_IP(view->frame) = run.ip;
    *failed = bad && !run.effect;
    *gain = run.gain;
    if (bad) {
        ExitKind kind = exit_after_failure(&run, out);
        if (slots != NULL)
            *exit_taken = run.window;
        return kind;
    }
    if (run_exit(&run, reached, out) == 0)
        return plan->exits[reached].kind;
    out->nstack = TRANSFER_KEEPS_STATE;
    out->offset = -1;
    return EXIT_RAISE;
}

ExitKind plan_run(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out,
                  int *failed, int *gain) {
    return run_plan(plan, view, regs, out, failed, gain, NULL, NULL, NULL);
}

ExitKind plan_run_metered(const Plan *plan, const FrameView *view, PyObject **regs, Transfer *out, int *failed, int *gain,
                          Meter *meter, MeterSlot *slots, int *exit_taken) {
    *exit_taken = 0;
    return run_plan(plan, view, regs, out, failed, gain, meter, slots, exit_taken);
}
