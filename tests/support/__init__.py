"""For tests of warpath and of what is built on it: nasty graphs, strategies, references.

`corpus` and `reference` and `compare` need NumPy only; `strategies` needs hypothesis.
"""
