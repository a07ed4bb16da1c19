"""``python -m warpath.cli`` is the command ``warpath``."""

from __future__ import annotations

from warpath.cli.main import main

if __name__ == "__main__":
    main()
