/* The region point: guards → launch → transfer. A `_C.Point` is a constant of C*, entered by UNARY_INVERT.
 *
 * True: a transfer is pending, leave the frame. False: a miss. NULL only when the compiler callback raises.
 */
#ifndef JITCORE_FRAME_POINT_H
#define JITCORE_FRAME_POINT_H

#include "frame/transfer.h"

int point_init(PyObject *module);

#endif
