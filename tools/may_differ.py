"""Tests of others that may come out otherwise under JITCORE_STRESS=1, one by one, and why.

None may by the default rules. tools/corpus.py leaves these out, and says which of them did differ.
"""

from __future__ import annotations

CODE = "the identity or bytes of a frame's code: it is C*'s"
DISASSEMBLY = "the disassembly of a live frame or generator: it is C*'s"
SPECIALISED = (
    "the bytes of a function's code after calls: these run C*, or an evaluation function is in, "
    "with which CPython specialises less"
)
COUNTS = (
    "counts all objects of the process, among them what the compiler keeps, or what is not taken "
    "from free lists, in which is what it let go of"
)
HELD = "the reference count of a constant or a dtype, which a guard or a graph holds, too"
MARSHALLED = "marshal says of each constant whether something else holds it, too: a guard may"

ROWS: tuple[tuple[str, str, str], ...] = (
    (CODE, "generators", "__test__.syntax"),
    (CODE, "sys", "SysModuleTest.test_getframe"),
    (CODE, "code", "CodeTest.test_co_positions_artificial_instructions"),
    (CODE, "trace", "TestCallers.test_loop_caller_importing"),
    (
        DISASSEMBLY,
        "dis",
        """DisTests.test_disassemble_generator DisTests.test_disassemble_coroutine
        DisTests.test_disassemble_async_generator DisTests.test_dis_traceback
        DisWithFileTests.test_disassemble_generator DisWithFileTests.test_disassemble_coroutine
        DisWithFileTests.test_disassemble_async_generator
        BytecodeTests.test_from_traceback_dis
        TestDisTraceback.test_distb_explicit_arg TestDisTraceback.test_distb_last_traceback
        TestDisTracebackWithFile.test_distb_explicit_arg
        TestDisTracebackWithFile.test_distb_last_traceback""",
    ),
    (
        SPECIALISED,
        "dis",
        """DisTests.test_loop_quicken DisWithFileTests.test_loop_quicken
        DisTests.test_show_caches DisWithFileTests.test_show_caches
        DisTests.test_super_instructions DisWithFileTests.test_super_instructions""",
    ),
    (
        SPECIALISED,
        "opcache",
        """TestRacesDoNotCrash.test_binary_subscr_getitem
        TestRacesDoNotCrash.test_binary_subscr_list_int TestRacesDoNotCrash.test_for_iter_gen
        TestRacesDoNotCrash.test_for_iter_list TestRacesDoNotCrash.test_load_attr_class
        TestRacesDoNotCrash.test_load_attr_getattribute_overridden
        TestRacesDoNotCrash.test_load_attr_instance_value
        TestRacesDoNotCrash.test_load_attr_method_lazy_dict
        TestRacesDoNotCrash.test_load_attr_method_no_dict
        TestRacesDoNotCrash.test_load_attr_method_with_values
        TestRacesDoNotCrash.test_load_attr_module TestRacesDoNotCrash.test_load_attr_property
        TestRacesDoNotCrash.test_load_attr_with_hint TestRacesDoNotCrash.test_load_global_module
        TestRacesDoNotCrash.test_store_attr_instance_value
        TestRacesDoNotCrash.test_store_attr_with_hint TestRacesDoNotCrash.test_store_subscr_list_int
        TestRacesDoNotCrash.test_unpack_sequence_list TestCallCache.test_assign_init_code""",
    ),
    (
        COUNTS,
        "gc",
        "GCTests.test_get_objects_arguments GCTests.test_get_count",
    ),
    (COUNTS, "sys", "SysModuleTest.test_getallocatedblocks"),
    (COUNTS, "descr", "ClassPropertiesAndMethods.test_slots"),
    (
        HELD,
        "memoryview",
        "BytesMemorySliceTest.test_getbuffer BytesMemorySliceSliceTest.test_getbuffer",
    ),
    (HELD, "_core/tests/test_api.py", "test___array___refcount"),
    (HELD, "_core/tests/test_indexing.py", "TestIndexing::test_small_regressions"),
    (HELD, "_core/tests/test_arrayobject.py", "test_cleanup_with_refs_non_contig"),
    (
        HELD,
        "_core/tests/test_multiarray.py",
        "TestArrayInterface::test_scalar_interface[val0-iface0-0.5]",
    ),
    (HELD, "array", "ByteTest.test_bug_782369"),
    (HELD, "sys", "SysModuleTest.test_refcount"),
    (
        MARSHALLED,
        "importlib",
        """Source_SourceLoaderBytecodeTests.test_no_bytecode
        Source_SourceLoaderBytecodeTests.test_code_bad_magic
        Source_SourceLoaderBytecodeTests.test_code_bad_timestamp
        Frozen_SourceLoaderBytecodeTests.test_no_bytecode
        Frozen_SourceLoaderBytecodeTests.test_code_bad_magic
        Frozen_SourceLoaderBytecodeTests.test_code_bad_timestamp""",
    ),
)

REASONS: dict[tuple[str, str], str] = {
    (file, test): why for why, file, tests in ROWS for test in tests.split()
}


def reason(files: list[str], test: str) -> str | None:
    """Of a test of these files, by the end of its name."""
    rows = REASONS.items()
    return next((why for (at, end), why in rows if at in files and ends(test, end)), None)


def ends(test: str, end: str) -> bool:
    """unittest's names have dots, pytest's two colons; what a part of a test is of stands in
    brackets."""
    return test.partition(" [")[0].endswith((f".{end}", f"::{end}"))
