/* Entries for the tests of the frame machinery: they compute nothing. */
#ifndef JIT_TEST_ENTRIES_H
#define JIT_TEST_ENTRIES_H

#include "transfer.h"

int test_entries_init(PyObject *module);

#endif
