"""Hold spotsim's predictions against PyTorch on the GPU in front of it.

`step` and `gemm` time PyTorch, `compare` sets a predicted step beside a timed one, and `check` does all of it
in one command on a machine that is there for a few minutes. PyTorch is needed by `step` and `gemm` alone.
"""
