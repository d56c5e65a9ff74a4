/* Numbers of native loops as Python objects, and the items of lists, tuples, strings and bytes that native loops read and write. */
#ifndef JITCORE_LOOP_BOXING_H
#define JITCORE_LOOP_BOXING_H

#include "jitcore.h"

#include "../jitcore/runtime_c/kernel_rt.h"
#include "../jitcore/runtime_c/routine_rt.h"

/* What a port may be besides a number and an array; the letters are those of jitcore/loops/boxed_items.py. */
enum { LIST = 'L', TUPLE = 'T', TEXT = 'U', BYTES = 'B', BYTEARRAY = 'Y', CHARACTER = 'u', GROWN = 'G', NOTHING = 'n' };

/* A new number of this OperandKind and NumPy's type number, or a string of one character. NULL with an exception. */
PyObject *number_box(int kind, int num, const rt_slot *slot);

/* Where the items of `obj` lie, as native loops read them, which borrow it: objects, bytes, or characters of *step bytes. 0: it
 * is no such object. */
int items_of(int kind, PyObject *obj, char **p, const i64 **dim, const i64 **step);

/* rt_world's: see jitcore/runtime_c/routine_rt.h. None of them raises, or runs code of the user's. */
int item_whole(const void *obj, i64 *out);
int item_fits(int kind, int num, void *obj, void *slot);
int item_put(void **place, int kind, int num, const rt_slot *slot);
int item_append(void *list, int kind, int num, const rt_slot *slot);

#endif
