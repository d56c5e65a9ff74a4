/* What plans are made of: are these words one? */
#include "plan/plan.h"

#include "kernel/launch.h"
#include "loop/loop.h"
#include "plan/dynamic_int.h"
#include "plan/op_table.h"
#include "plan/ops.h"

static const OpRow rows[] = {
#define ROW(name, operands) {#name, operands},
    PLAN_OPS(ROW)
#undef ROW
};

static int fixed_width(const char *kinds) {
    int count = 0;
    while (kinds[count] && kinds[count] != '*')
        count++;
    return count;
}

static int operand_fits(const Plan *plan, char kind, int x, int nregs, Py_ssize_t nconsts) {
    switch (kind) {
    case 'd':
        return x >= 0 && x < nregs;
    case 'r':
        return x == PLAN_NULL || (x >= 0 ? x < nregs : ~x < nconsts);
    case 'n':
        return x >= 0 && x <= plan->count;
    case 'e':
        return x > 0 && x < plan->nexits;
    default:
        return 1;
    }
}

/* A constant of this type, or NULL. */
static PyObject *const_of(const Plan *plan, int operand, PyTypeObject *type) {
    PyObject *obj = operand < 0 && operand != PLAN_NULL ? plan->consts[~operand] : NULL;
    return obj != NULL && PyObject_TypeCheck(obj, type) ? obj : NULL;
}

/* What the numbers of a step say of each other, where each of them is in range. */
static int step_agrees(const Plan *plan, const int *w) {
    PyObject *obj;
    switch (w[0]) {
    case P_KERNEL:
        obj = const_of(plan, w[1], &Kernel_Type);
        return obj != NULL && kernel_inputs(obj) == w[2] && kernel_outputs(obj) == w[3];
    case P_ROUTINE:
        obj = const_of(plan, w[1], &NativeLoop_Type);
        return obj != NULL && native_loop_inputs(obj) == w[2] && native_loop_outputs(obj) == w[3] && native_loop_side_exits(obj) == w[4];
    case P_NUMBER:
        obj = const_of(plan, w[2], &Number_Type);
        return obj != NULL && number_inputs(obj) == w[3];
    case P_CALL_KW:
        obj = const_of(plan, w[3], &PyTuple_Type);
        return obj != NULL && PyTuple_GET_SIZE(obj) <= w[4];
    case P_BUILD_MAP:
        return w[2] % 2 == 0;
    case P_WINDOW:
    case P_EXIT:
        return w[1] >= 0 && w[1] < plan->nexits;
    case P_LOUD: /* it cannot be repeated, so no miss */
        return w[3] > 0 && w[3] < plan->nexits;
    default:
        return 1;
    }
}

/* Of those that follow: read, written, or an exit that is no miss. */
static char kind_of_operand(const int *w, Py_ssize_t i) {
    if (w[0] == P_ROUTINE && i >= w[2] + w[3])
        return 'e';
    return (w[0] == P_KERNEL || w[0] == P_ROUTINE) && i >= w[2] ? 'd' : 'r';
}

/* How many words the step takes; 0: it is none. */
static Py_ssize_t step_fits(const Plan *plan, const int *w, const int *end, int nregs,
                            Py_ssize_t nconsts) {
    if (w[0] < 0 || w[0] >= (int)Py_ARRAY_LENGTH(rows))
        return 0;
    const char *kinds = rows[w[0]].operands;
    Py_ssize_t fixed = fixed_width(kinds), more = 0;
    if (end - w < fixed + 1)
        return 0;
    for (int i = 0; i < fixed; i++) {
        if (!operand_fits(plan, kinds[i], w[i + 1], nregs, nconsts))
            return 0;
        more += kinds[i] == 'n' ? w[i + 1] : 0;
    }
    if (end - w < fixed + 1 + more)
        return 0;
    for (Py_ssize_t i = 0; i < more; i++) {
        if (!operand_fits(plan, kind_of_operand(w, i), w[fixed + 1 + i], nregs, nconsts))
            return 0;
    }
    return step_agrees(plan, w) ? fixed + 1 + more : 0;
}

static int exit_fits(const Plan *plan, const PlanExit *exit, int nregs, Py_ssize_t nconsts) {
    int fits = exit->start >= 0 && exit->start < plan->count &&
               operand_fits(plan, 'r', exit->value, nregs, nconsts) &&
               (exit->kind != EXIT_RETURN || exit->value != PLAN_NULL);
    for (int i = 0; i < exit->nstack && fits; i++)
        fits = operand_fits(plan, 'r', exit->stack[i], nregs, nconsts);
    for (int i = 0; i < exit->nlocals && fits; i++)
        fits = operand_fits(plan, 'r', exit->local[i], nregs, nconsts);
    return fits;
}

int plan_check(const Plan *plan, int nregs, Py_ssize_t nconsts) {
    const int *w = plan->words, *end = plan->words + plan->count;
    Py_ssize_t step = 1;
    int last = -1;
    for (; w < end && step > 0; w += step) {
        last = w[0];
        step = step_fits(plan, w, end, nregs, nconsts);
    }
    int fits = step > 0 && last == P_EXIT && plan->nexits > 0 && plan->exits[0].kind == EXIT_MISS;
    for (int i = 0; i < plan->nexits && fits; i++)
        fits = exit_fits(plan, &plan->exits[i], nregs, nconsts);
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "these words are not a plan");
    return fits ? 0 : -1;
}

int plan_init(PyObject *module) {
    if (PyModule_AddIntMacro(module, PLAN_NULL) < 0)
        return -1;
    return op_table_add(module, "PLAN_OPS", rows, Py_ARRAY_LENGTH(rows));
}
