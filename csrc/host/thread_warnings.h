/* What stands in a row of warnings.filters in place of a regular expression, and answers for one thread.
 *
 * CPython goes through the rows by index and keeps no lock (_warnings.c, get_filter): a row that goes while another
 * thread is between two rows makes it pass over one of the program's. Threads change only where Python code runs. So
 *
 *     a filter is asked        in C, without Python code and without objects the garbage collector would come by for
 *     a row is put and taken   in one step, by identity
 *     a row is taken           only where no other row runs Python code; else it stays, deaf, and the next filter uses it
 */
#ifndef JITCORE_HOST_THREAD_WARNINGS_H
#define JITCORE_HOST_THREAD_WARNINGS_H

#include "jitcore.h"

int thread_warnings_init(PyObject *module);

#endif
