/* np.histogram of float64 in equal bins, without the arrays that NumPy makes on the way; on several threads (kernel/workers.h).
 *
 * The steps are those of numpy/lib/_histograms_impl.py: edges as NumPy computes them, places by (x - first) / (last - first) *
 * bins, set right by the edges where one is near, weights summed up block by block, and blocks one after the other. Whatever is out of the
 * ordinary (numbers that are not finite, a raised flag, another form of array) is NumPy's: its function is called.
 */
#ifndef JITCORE_NUMPY_HISTOGRAM_H
#define JITCORE_NUMPY_HISTOGRAM_H

#include "jitcore.h"

/* Adds `histogram` to the module. 0, or -1 with an exception. */
int histogram_init(PyObject *module);

#endif
