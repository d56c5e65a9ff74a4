/* A kernel that writes into an array that the program sees: what stood there, kept until nothing can fail any more.
 *
 *     save     before the loop runs: a copy, without gaps, in the order of the loop
 *     keep     the same of a part, just before the loop comes to it
 *     restore  where the launch is refused after all
 */
#ifndef JITCORE_KERNEL_UNDO_H
#define JITCORE_KERNEL_UNDO_H

#include "kernel/kernel.h"

#define UNDO_FEW 512

typedef struct {
    char *old;                  /* NULL: nothing was saved */
    char *buffer;                 /* what `old` lies in: this, */
    PyObject *memory;           /* this, owned, */
    char few[UNDO_FEW];         /* or this */
} Undo;

/* Nothing saved yet. */
void undo_none(Undo *undo);

/* May the launch write: is the array writeable, and does no other input lie where it writes? `inputs` and `given` (their
 * first elements) are borrowed. */
int write_fits(const Kernel *k, PyObject *const *inputs, char *const *given);

/* May it write before it is known whether it is refused, since NumPy would then write the same and nobody looks at the
 * array meanwhile? `mask`: the flags that the user does not ignore. See docs/numerics.md. -1: a signal's handler raised;
 * nothing has been done yet. */
int write_is_final(const Kernel *k, int mask);

/* Can a RuntimeWarning, given now, neither raise nor run code of the user's? -1: a signal's handler raised meanwhile. */
int warnings_pass(void);

/* Is so much written that keeping what was there costs more than asking whether one must? */
int undo_is_dear(const Kernel *k);

/* Is so little written that a copy of it stays in the caches? */
int undo_fits_caches(const Kernel *k);

/* 0, or -1 with an exception. */
int undo_save(Undo *undo, const Kernel *k, char *there);

/* Memory for a copy that split_run makes while it runs, or NULL with an exception. */
char *undo_room(Undo *undo, const Kernel *k);

/* Can it make one? */
int undo_by_pieces(const Kernel *k);

/* Copies the target's part that begins at `from` of the axis that is cut, at `there`, and has the extents `dim`. */
void undo_keep(const Kernel *k, char *old, i64 from, const i64 *dim, char *there);

/* So many grains of the axis that is cut have about so many bytes of the target. */
i64 undo_grains(const Kernel *k, i64 bytes);

void undo_restore(const Undo *undo, const Kernel *k, char *there);

/* Gives the memory back; after any save. */
void undo_drop(Undo *undo);

/* Adds `set_warnings_check` to the module. 0, or -1 with an exception. */
int undo_init(PyObject *module);

#endif
