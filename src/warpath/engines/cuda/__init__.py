"""The CUDA engine."""
