/* Entries for the tests of the frame machinery: they compute nothing. */
#ifndef JITCORE_OBSERVE_TEST_ENTRIES_H
#define JITCORE_OBSERVE_TEST_ENTRIES_H

#include "frame/transfer.h"

int test_entries_init(PyObject *module);

#endif
