"""Programs without arrays: what JITCORE=1 costs them. `python -m benchmarks.pure_python`"""
