"""Sweeps over all vertices, or over those that changed, until nothing does: Bellman-Ford."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.recipes.axes import Labels, Select

if TYPE_CHECKING:
    from warpath.engines.rounds.run import Run


def sweeps(run: Run) -> bool:
    """Run `Loop.SWEEPS`; return whether it came to rest, which a negative cycle prevents.

    The parameter `rounds` asks for as many rounds even when one changes nothing.
    """
    axes, n, source = run.axes, run.n, run.order.problem.source
    two, some = axes.labels is Labels.TWO_ARRAYS, axes.select is Select.IMPROVED
    push = run.push_kernel("EmitNothing" if two else "EmitFlags" if some else "EmitFlag")
    adopt = run.kernel("adopt", traced=run.traced) if two else None
    labels = run.labels(source) if two else run.dist
    flags = run.flags(source)
    following = run.flags() if some and not two else None
    changed = run.xp.zeros(1, np.int32)
    least = int(run.order.params.get("rounds", 0))
    selected = 1 if some else n
    while True:
        changed.fill(0)
        with run.step("relax"):
            run.launch(
                push,
                n,
                blocks=run.push_blocks(n),
                flags=flags,
                **run.rows.named(),
                **{"from": labels},
                dist=run.dist,
                changed=changed,
                next_flags=following,
            )
        if adopt is not None:
            with run.step("update"):
                run.launch(
                    adopt, n, **{"from": labels}, dist=run.dist, flags=flags, changed=changed
                )
        elif following is not None:
            flags, following = following, flags
            following.fill(0)
        relaxed, improved, adopted = run.counted() if run.traced else (0, 0, 0)
        run.round("sweep", selected, relaxed, improved)
        if run.traced and some:
            selected = adopted if two else int(run.device.get(flags.sum()))
        if run.rounds < least:
            continue
        if not run.read(changed)[0]:
            return True
        if run.rounds > max(n, least):
            return False
