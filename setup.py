"""Builds the Python package: CMake compiles the engine and the extension, setuptools packs them.

    pip install --no-build-isolation .        needs the Debian packages of tools/setup.sh, and no network
    python3 setup.py bdist_wheel              a wheel for the stable ABI, dist/tenon-*.whl

TENON_BUILD names a CMake build folder to use, such as build; not given: build/pip.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
header = (HERE / "include/tenon/version.h").read_text()
version = ".".join(re.search(rf"TENON_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


class Build(build_ext):
    def build_extension(self, extension):
        folder = Path(os.environ.get("TENON_BUILD") or HERE / "build/pip").resolve()
        if not (folder / "CMakeCache.txt").exists():
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            web = "ON" if shutil.which("npm") else "OFF"
            subprocess.run(["cmake", "-S", HERE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTENON_TESTS=OFF",
                            "-DTENON_MPI=OFF", f"-DTENON_WEB={web}", "-DTENON_PYTHON=ON", *generator], check=True)
        jobs = str(os.cpu_count())
        subprocess.run(["cmake", "--build", folder, "--target", "tenon_python", "-j", jobs], check=True)
        target = Path(self.get_ext_fullpath(extension.name)).parent
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / "python/tenon/_tenon.abi3.so", target / "_tenon.abi3.so")


setup(version=version,
      ext_modules=[Extension("tenon._tenon", sources=[], py_limited_api=True)],
      cmdclass={"build_ext": Build},
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
