/* The region point: guards → launch → transfer. A `_C.Point` is a constant of C*, entered by UNARY_INVERT.
 *
 * True: a transfer is pending, leave the frame. False: a miss. NULL only when the compiler callback raises.
 */
#ifndef JIT_REGION_H
#define JIT_REGION_H

#include "transfer.h"

int region_init(PyObject *module);

#endif
