"""Start `worker.run` with the arguments of a command line; `supervisor` calls this."""

import sys

from hunt import worker

if __name__ == "__main__":
    name, seed, first, step, seconds, pipe = sys.argv[1:]
    worker.run(name, int(seed), int(first), int(step), float(seconds), int(pipe))
