#include "observe/plan_meter.h"

#include "plan/ops.h"

/* Words of a step that begins here. */
static int words_of(const int *w) {
    static const char *const operands[] = {
#define OPERANDS(name, operands) operands,
        PLAN_OPS(OPERANDS)
#undef OPERANDS
    };
    int words = 1, more = 0;
    for (const char *o = operands[w[0]]; *o != '\0' && *o != '*'; o++, words++)
        more += *o == 'n' ? w[words] : 0;
    return words + more;
}

/* What a step with a slot of its own calls, borrowed; NULL: it has none, or the word does not begin a step. `*word` is
 * the first step's, and becomes the next one's; -1: there is none. */
static PyObject *metered_step(const Plan *plan, int *word, MeterKind *kind) {
    const int *w = plan->words + *word;
    *word = w[0] == P_EXIT ? -1 : *word + words_of(w);
    *kind = w[0] == P_KERNEL ? METER_KERNEL : w[0] == P_ROUTINE ? METER_LOOP : METER_CALL;
    int operand = w[0] == P_CALL || w[0] == P_CALL_KW ? w[2] : w[0] == P_KERNEL || w[0] == P_ROUTINE ? w[1] : 0;
    return operand < 0 && operand != PLAN_NULL ? plan->consts[~operand] : NULL;
}

void plan_meter_kinds(const Plan *plan, MeterSlot *slots) {
    MeterKind kind;
    for (int word = 0, next = 0; next >= 0; word = next) {
        metered_step(plan, &next, &kind);
        slots[word].kind = kind;
    }
}

static int append_slot(PyObject *list, const MeterSlot *slot, PyObject *what) {
    PyObject *row = what ? meter_row(slot, what) : NULL;
    int failed = row == NULL || PyList_Append(list, row) < 0;
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

int plan_exit_rows(const Plan *plan, const MeterSlot *slots, PyObject *list) {
    for (int i = 0; i < plan->nexits; i++) {
        PyObject *offset = PyLong_FromLong(plan->exits[i].offset);
        int failed = offset == NULL || append_slot(list, &slots[i], offset) < 0;
        Py_XDECREF(offset);
        if (failed)
            return -1;
    }
    return 0;
}

int plan_step_rows(const Plan *plan, const MeterSlot *slots, PyObject *list) {
    MeterKind kind;
    for (int word = 0, next = 0; next >= 0; word = next) {
        PyObject *called = metered_step(plan, &next, &kind);
        if (called != NULL && append_slot(list, &slots[word], called) < 0)
            return -1;
    }
    return 0;
}
