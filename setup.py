"""The C extension; everything else about the package stands in pyproject.toml."""

import os
import sys
from glob import glob

import numpy as np
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

if "t" in sys.abiflags:
    sys.exit("jitcore needs a Python with the GIL: free-threaded builds are not supported")

strict = ["-Wall", "-Wextra", "-Werror"] if os.environ.get("JITCORE_BUILD_STRICT") == "1" else []
sanitize = os.environ.get("JITCORE_BUILD_SANITIZE", "")
extra = [f"-fsanitize={sanitize}", "-fno-omit-frame-pointer", "-g"] if sanitize else []

SWITCH = "jitcore.pth"


class BuildWithSwitch(build_py):
    """Puts jitcore.pth beside the package: Python's `site` runs its line."""

    def run(self):
        super().run()
        install = self.get_finalized_command("install")
        folder = install.install_lib if self.editable_mode else self.build_lib
        self.mkpath(folder)
        self.copy_file(SWITCH, os.path.join(folder, SWITCH))

    def get_outputs(self, include_bytecode=True):
        own = [] if self.editable_mode else [os.path.join(self.build_lib, SWITCH)]
        return super().get_outputs(include_bytecode) + own


setup(
    cmdclass={"build_py": BuildWithSwitch},
    ext_modules=[
        Extension(
            "jitcore._C",
            sources=sorted(glob("csrc/**/*.c", recursive=True)),
            depends=sorted(glob("csrc/**/*.h", recursive=True)),
            include_dirs=["csrc", np.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=["-O2", "-ffp-contract=off", "-fvisibility=hidden", *strict, *extra],
            extra_link_args=extra,
        )
    ],
)
