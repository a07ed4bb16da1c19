"""Seeded programs that search for wrong results, crashes, hangs and undocumented exceptions.

``make hunt MINUTES=10`` runs all programs one after another, each in as many processes as there are
cores. A trial draws all its random numbers from the seed of the run and its own number. Both are
printed with each finding, so that its trial can be repeated alone, with ``tools`` on the path:
``python -m hunt PROGRAM --seed SEED --trial NUMBER``.
"""
