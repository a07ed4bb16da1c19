"""The CUDA engine: kernels compiled when first needed, arrays of CuPy, launches of cuda.core."""
