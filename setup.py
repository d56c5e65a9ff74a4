"""The C extension; everything else about the package stands in pyproject.toml."""

import os
from glob import glob

import numpy as np
from setuptools import Extension, setup

strict = ["-Wall", "-Wextra", "-Werror"] if os.environ.get("JITCORE_BUILD_STRICT") == "1" else []
sanitize = os.environ.get("JITCORE_BUILD_SANITIZE", "")
extra = [f"-fsanitize={sanitize}", "-fno-omit-frame-pointer", "-g"] if sanitize else []

setup(
    ext_modules=[
        Extension(
            "jitcore._C",
            sources=sorted(glob("csrc/*.c")),
            depends=sorted(glob("csrc/*.h")),
            include_dirs=["csrc", np.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=["-O2", "-ffp-contract=off", "-fvisibility=hidden", *strict, *extra],
            extra_link_args=extra,
        )
    ]
)
