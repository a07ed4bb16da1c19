"""Kernels with one fault each: the quick suite must find every one of them.

A mutant that survives means that the suite does not look where the fault is.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import warpath
from kernels.test_wide import skewed
from support.compare import assert_same_bits, noting
from support.kernels import CACHE, Unset, expected
from support.tiers import EMULATOR, KERNELS
from warpath import generate
from warpath.engines.base import Order, Problem
from warpath.engines.betweenness import BLOCK, PathShares
from warpath.engines.cuda.tables import counting_sweeps
from warpath.engines.cuda.wide import parts, rows, search
from warpath.engines.emulator.build import loaded_sanitizer
from warpath.engines.emulator.device import EmulatedDevice
from warpath.recipes import CATALOGUE, Task
from warpath.results.predecessors import as_labels

HEADERS = Path(warpath.__file__).parent / "engines" / "cuda" / "kernels"
ENDLESS = 60  # seconds of work: without a fault the recipes of all mutants together take less


class Mutant(NamedTuple):
    """A fault: which text of which file becomes what, and for whom it shows.

    Attributes
    ----------
    breaks : what the fault is; the name of the test.
    recipes : that run the kernel; variants as `quick.py` takes them. `DIVIDED`, one search over
        several devices, and `COUNTED`, counting sweeps, are none, and not in the quick suite.
    sanitizer : that has to see it, "thread" or "address": the labels may well be right.
    """

    breaks: str
    file: str
    original: str
    mutated: str
    recipes: str
    dtype: str = "int32"
    sanitizer: str = "none"


SWEEP = "davidson2014.bellman_ford"
STRIDED = "bodra2025.bf_strided_flag"
IN_PLACE = "bodra2025.bf_strided_flag:labels=IN_PLACE"
WORKFRONT = "davidson2014.workfront_sweep.merge_path"
BY_THREAD = f"{WORKFRONT}:map=THREAD"
BLOCKS = "davidson2014.workfront_sweep.cooperative_blocks"
SCAN = "davidson2014.workfront_sweep.cta_warp_scan"
CHILD = "johnson_gpu.bf_queue"
NEAR_FAR = "davidson2014.near_far.merge_path"
PULLED = "warpath.near_far_pull"
LIGHT_HEAVY = "meyer2003.delta_stepping"
RHO, DELTA_STAR = "dong2021.rho_stepping", "dong2021.delta_star"
MERGED = "davidson2014.bucketing.merge_path"
SORTED = "davidson2014.bucketing_sort_all.merge_path"
SPLIT = "davidson2014.bucketing_multisplit.merge_path"
F_GPU, U_GPU, U_PLUS = "martin2009.f_gpu", "martin2009.u_gpu", "martin2009.u_gpu_plus"
OUT, OUT_QUEUE, OUT_PREFIX = (
    f"johnson_gpu.dijkstra_{kind}" for kind in ("flags", "queue", "prefix")
)
ENTRY, ENTRY_SHARED, ROW, TILED, TILED_SHARED = (
    f"bodra2025.fw_{kind}" for kind in ("edge", "edge_shared", "vertex", "tiled", "tiled_shared")
)
GPHAST, H2H = "delling2011.gphast", "ouyang2018.h2h"
THREADS, JOHNSON = "bodra2025.apsp_dijkstra", "johnson_gpu.johnson_flags"
BLOCK_EACH, PAIRS = "warpath.block_per_source", "warpath.pairs"
BLOCKED = "warpath.floyd_warshall"
WIDE, PATCHES, BFS = "warpath.wide", "warpath.patches", "warpath.bfs"
DIVIDED, REPAIRS, COUNTED = "divided", "repairs", "counted"
HYBRID = "martin2009.u_h3"
REDUCED = f"{HYBRID}:place=GPU/GPU/CPU,reduce=ONE_PASS"
OUT_MERGED = f"{OUT_QUEUE}:map=MERGE_PATH"
DENSE_PULL, DENSE_PUSH = "martin2009.u_gpu.dense", "martin2009.f_gpu.dense"

BASE = [
    Mutant("an integer sum that wraps", "base.cuh", "return ((dist ^ sum) & (w ^ sum)) >= 0 && ",
           "return ", SWEEP, "int64"),
    Mutant("negative floats in the wrong order", "base.cuh",
           "atomicMax(reinterpret_cast<unsigned*>(place)",
           "atomicMin(reinterpret_cast<unsigned*>(place)",
           CHILD, "float32"),
    Mutant("a relaxed store that is none", "base.cuh",
           "__nv_atomic_store(place, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);",
           "*place = value;", SWEEP, sanitizer="thread"),
]  # fmt: skip
PUSH = [
    Mutant("only equal or larger sums are lowered", "push.cuh", "(kGuarded || sum < label[k])",
           "(kGuarded || !(sum < label[k]))", SWEEP),
    Mutant("a minimum without an atomic", "push.cuh", "return sum < atomic_min(label, sum);",
           "if (!(sum < load_relaxed(label))) return false;\n    store_relaxed(label, sum);\n"
           "    return true;", F_GPU),
    Mutant("the unreachable label is extended", "push.cuh", "if (base == never<L>()) {",
           "if (false) {", "bodra2025.bf_vertex"),
    Mutant("a row ends after its first edges", "push.cuh", "for (i64 e = first; e < last;",
           "for (i64 e = first; e == first && e < last;", SWEEP),
    Mutant("all edges count as the only one", "push.cuh",
           "if (kClassified && (a.classes[v[k]] & kOneInEdge))", "if (kClassified)", CHILD),
    Mutant("negative loops go unseen", "push.cuh", "if (u == v[k] && weight[k] < 0)",
           "if (u == v[k] && weight[k] < 0 && false)", CHILD),
    Mutant("a plain read of a label", "push.cuh", "load_relaxed(a.from + u);", "a.from[u];",
           WORKFRONT, sanitizer="thread"),
    Mutant("a plain write of a label", "push.cuh", "    store_relaxed(label, sum);",
           "    *label = sum;", "broken.harish_narayanan2007", sanitizer="thread"),
    Mutant("a plain write of the lesser label", "push.cuh",
           "store_relaxed(label, min(before, sum));", "*label = min(before, sum);",
           "martin2009.f_gpu_no_atomic", sanitizer="thread"),
]  # fmt: skip
EMIT = [
    Mutant("the flags are never set", "emit.cuh",
           "    if (improved) store_relaxed(next.flags + v, u8{1});\n", "", IN_PLACE),
    Mutant("the flags are set without care", "emit.cuh", "store_relaxed(next.flags + v, u8{1});",
           "next.flags[v] = 1;", IN_PLACE, sanitizer="thread"),
    Mutant("a target is lost", "emit.cuh", "improved ? v :", "improved && slot % 5 != 2 ? v :",
           WORKFRONT),
    Mutant("a vertex is queued as often as it is lowered", "emit.cuh",
           "if (improved && atomicExch(next.stamps + v, next.round) != next.round)",
           "if (improved)", CHILD, sanitizer="address"),
    Mutant("a target is emitted though it was not lowered", "emit.cuh",
           "improved ? v : static_cast<V>(-1)", "v", NEAR_FAR),
    Mutant("a target claims another slot", "emit.cuh", "store_relaxed(next.table + v, slot);",
           "store_relaxed(next.table + v, slot + 1);", WORKFRONT),
    Mutant("a vertex is queued when it was queued before", "emit.cuh", "next.round) != next.round)",
           "next.round) == next.round)", CHILD),
    Mutant("places in the queue are given out twice", "emit.cuh",
           "next.queue[atomicAdd(reinterpret_cast<u64*>(next.size), u64{1})] = v;",
           "next.queue[(*next.size)++] = v;", CHILD, sanitizer="thread"),
]  # fmt: skip
MAPS = [
    Mutant("a thread leaves out the last edge", "map.cuh", "rows.last(u[k]);\n      label[k]",
           "rows.last(u[k]) - 1;\n      label[k]", SWEEP),
    Mutant("the slots of a thread begin too late", "map.cuh",
           "Set::first_slot(work, begin + k * stride));",
           "Set::first_slot(work, begin + k * stride) + (begin > 0));", BY_THREAD),
    Mutant("a thread forgets its second vertex", "map.cuh", "done + k < count &&",
           "done + k < 1 &&", f"bodra2025.bf_vertex {STRIDED}"),
    Mutant("a stride that is too long", "map.cuh", "begin, threads, (work",
           "begin, threads + 1, (work", STRIDED),
    Mutant("a vertex without a flag ends the stride", "map.cuh", "if (first[k] < last[k])",
           "if (first[k] >= last[k]) return;\n      else", STRIDED),
    Mutant("a child grid leaves out the last edge", "map.cuh", "e < last[k]; e += kBlock",
           "e + 1 < last[k]; e += kBlock", CHILD),
    Mutant("a child grid skips edges of long rows", "map.cuh",
           "e += kBlock) visit(u[k], e", "e += kBlock + 1) visit(u[k], e", CHILD),
    Mutant("a padded row leaves out its last edge", "map.cuh",
           "return indptr[u + 1] - indptr[u]; }",
           "return indptr[u + 1] - indptr[u] - 1; }", "bodra2025.bf_vertex.ell"),
    Mutant("padded rows are read as others", "push.cuh",
           "if (kEll) e = e * a.work.size + u;", "", "bodra2025.bf_vertex.ell"),
    Mutant("a block searches before its vertices are there", "balanced_map.cuh",
           "offsets[held] = work.offsets[begin + held];\n    __syncthreads();",
           "offsets[held] = work.offsets[begin + held];", BLOCKS, sanitizer="thread"),
    Mutant("a block takes a vertex's first edge for its neighbour's", "balanced_map.cuh",
           "if (slot >= offsets[at + 1]) at = last_at_most(offsets, at, held, slot);",
           "if (slot > offsets[at + 1]) at = last_at_most(offsets, at, held, slot);", BLOCKS),
    Mutant("a share ends too early", "balanced_map.cuh",
           "min(begin + width(work.edges), work.edges)",
           "min(begin + width(work.edges) - 1, work.edges)", WORKFRONT),
    Mutant("a share begins before its offsets are there", "balanced_map.cuh",
           "offsets = held;\n    }\n    __syncthreads();", "offsets = held;\n    }", WORKFRONT,
           sanitizer="thread"),
    Mutant("a share does not see its last vertex", "balanced_map.cuh", "last - first + 1, slot)",
           "last - first, slot)", WORKFRONT),
    Mutant("the block's owner is read before it is known", "balanced_map.cuh",
           "        rest[t] = degree;\n      }\n      __syncthreads();",
           "        rest[t] = degree;\n      }",
           SCAN),
    Mutant("a warp skips edges", "balanced_map.cuh", "k += kWarp)", "k += kWarp + 1)", SCAN),
    Mutant("the scan leaves out a step", "balanced_map.cuh", "t >= step ?", "t > step ?", SCAN),
    Mutant("the scan overtakes itself", "balanced_map.cuh",
           "rest[t - step] : 0;\n      __syncthreads();", "rest[t - step] : 0;", SCAN,
           sanitizer="thread"),
    Mutant("the pool is filled before it is emptied", "balanced_map.cuh",
           "nth[t], slots[owner] + nth[t]);\n      }\n      __syncthreads();",
           "nth[t], slots[owner] + nth[t]);\n      }", SCAN, sanitizer="thread"),
]  # fmt: skip
PULL = [
    Mutant("the largest sum instead of the least", "pull.cuh", "sum < best) {", "best < sum) {",
           U_GPU),
    Mutant("predecessors beyond the frontier", "pull.cuh",
           "if (e + k >= last || !flags[k]) continue;", "if (e + k >= last) continue;", U_GPU,
           sanitizer="thread"),
    Mutant("the last predecessor counts for those after it", "pull.cuh",
           "if (e + k >= last || !flags[k]) continue;", "if (!flags[k]) continue;", U_GPU,
           sanitizer="address"),
    Mutant("a vertex without in-edges", "pull.cuh",
           "    first = indptr[i];\n    last = indptr[i + 1];",
           "    first = indptr[i];\n    last = indptr[i];", CHILD),
    Mutant("the bounds are read before they are there", "pull.cuh",
           "    }\n    __syncthreads();\n    if (i >= n) return;", "    }\n    if (i >= n) return;",
           U_PLUS, sanitizer="thread"),
    Mutant("no bound at the end of a block", "pull.cuh", "t == kBlock - 1 || i == n - 1",
           "i == n - 1",
           U_PLUS),
    Mutant("no bound at the end of the graph", "pull.cuh", "t == kBlock - 1 || i == n - 1",
           "t == kBlock - 1", U_PLUS),
    Mutant("the unreachable label is pulled", "pull.cuh",
           "      if (base == never<L>()) continue;\n", "", CHILD),
]  # fmt: skip
DENSE = [
    Mutant("columns beyond the matrix", "dense.cuh",
           "    if (!looks) continue;\n"
           "    const i64 held = min(static_cast<i64>(kBlock), a.n - chunk);",
           "    if (!looks) continue;\n    const i64 held = kBlock;", DENSE_PULL),
    Mutant("a chunk is staged while it is read", "dense.cuh",
           "    __syncthreads();\n    if (staged < a.n) {", "    if (staged < a.n) {", DENSE_PULL,
           sanitizer="thread"),
    Mutant("a column of the first chunk only", "dense.cuh", "a.matrix[(chunk + k) * a.n + v]",
           "a.matrix[k * a.n + v]", DENSE_PULL),
    Mutant("rows beyond the matrix", "dense.cuh",
           "    if (!pushes) continue;\n"
           "    const i64 held = min(static_cast<i64>(kBlock), a.n - chunk);",
           "    if (!pushes) continue;\n    const i64 held = kBlock;", DENSE_PUSH,
           sanitizer="address"),  # its writes would break Python itself
    Mutant("labels of the first chunk only", "dense.cuh", "Write::lower(a.dist + chunk + k, sum)",
           "Write::lower(a.dist + k, sum)", DENSE_PUSH),
    Mutant("flags are read before they are staged", "dense.cuh",
           "unsettled[threadIdx.x] = a.unsettled[staged];\n    __syncthreads();",
           "unsettled[threadIdx.x] = a.unsettled[staged];", DENSE_PUSH, sanitizer="thread"),
]  # fmt: skip
REDUCE = [
    Mutant("half of the values", "reduce.cuh", "least[t] = min(one, other);", "least[t] = one;",
           REDUCED),
    Mutant("a step overtakes another", "reduce.cuh",
           "least[t + half]);\n    __syncthreads();", "least[t + half]);", REDUCED,
           sanitizer="thread"),
    Mutant("settled labels count", "reduce.cuh", "of.unsettled ? of.label : never<L>()",
           "of.label", F_GPU),
    Mutant("a threshold that is too high", "reduce.cuh", "extend(of.label, of.slack, sum) ?",
           "extend(of.label, of.slack, sum) && extend(sum, 2, sum) ?", OUT),
    Mutant("settled vertices count for the threshold", "reduce.cuh", "counts = of.unsettled && ",
           "counts = ", OUT),
    Mutant("a step too few", "reduce.cuh", "half > 0;", "half > 1;", REDUCED),
]  # fmt: skip
SETTLE = [
    Mutant("what is settled stays unsettled", "settle.cuh", "    a.unsettled[i] = 0;\n", "", F_GPU),
    Mutant("nobody reaches the threshold", "settle.cuh", "label <= threshold &&",
           "label < threshold &&", OUT),
    Mutant("others than the least are settled", "settle.cuh", "return label == threshold;",
           "return label <= threshold + 9;", F_GPU),
    Mutant("places in the queue are given out twice", "settle.cuh",
           "a.queue[atomicAdd(reinterpret_cast<u64*>(a.size), u64{1})]", "a.queue[(*a.size)++]",
           OUT_QUEUE, sanitizer="thread"),
    Mutant("the frontier is not told", "settle.cuh", "a.frontier[i] = taken;",
           "a.frontier[i] = taken && i % 7 != 3;", OUT),
    Mutant("a queue lacks a vertex", "settle.cuh", "    if (taken) a.queue",
           "    if (taken && i % 7 != 3) a.queue", OUT_QUEUE),
]  # fmt: skip
ADOPT = [
    Mutant("equal labels count as lowered", "adopt.cuh", "of.now < of.before",
           "of.now <= of.before", STRIDED),
    Mutant("labels are not adopted", "adopt.cuh", "    a.from[i] = of.now;\n", "", STRIDED),
]  # fmt: skip
LISTS = [
    Mutant("the edges of a list are numbered from 1", "lists.cuh", "= behind - edges;",
           "= behind - edges + 1;", OUT_MERGED),
    Mutant("the number of edges is another", "lists.cuh", "space.offsets[count] = done;",
           "space.offsets[count] = done - (count > 1);", OUT_MERGED),
    Mutant("the next list's edges are numbered from 1", "lists.cuh",
           "done.edges + upto_edges - degree;", "done.edges + upto_edges - degree + 1;", WORKFRONT),
    Mutant("a claim to another place", "lists.cuh",
           "if (items[k] >= 0) store_relaxed(table + items[k], k);",
           "if (items[k] >= 0) store_relaxed(table + items[k], k + 1);", SORTED),
    Mutant("a claim without care", "lists.cuh",
           "if (items[k] >= 0) store_relaxed(table + items[k], k);",
           "if (items[k] >= 0) table[items[k]] = k;", SORTED, sanitizer="thread"),
    Mutant("doubles are kept", "lists.cuh", "if (owner != k || label < low)", "if (label < low)",
           WORKFRONT),
    Mutant("the far pile is lost", "lists.cuh", "Item{v, kFar, 0};", "no_item();", NEAR_FAR),
    Mutant("near and far change places", "lists.cuh", "return label < high ?",
           "return label >= high ?", NEAR_FAR),
    Mutant("another vertex comes near", "lists.cuh", "near[place] = v;", "near[place] = v / 2;",
           WORKFRONT),
    Mutant("another vertex goes far", "lists.cuh", "(upto >> 16) - 1] = v;",
           "(upto >> 16) - 1] = v / 2;", NEAR_FAR),
    Mutant("another vertex is gathered", "lists.cuh", "= static_cast<V>(i);\n    done",
           "= static_cast<V>(i / 2);\n    done", OUT_PREFIX),
    Mutant("the lowest label is one that was relaxed", "lists.cuh",
           "if (!(label < low)) own = min(own, label);", "if (label < low) own = min(own, label);",
           NEAR_FAR),
]  # fmt: skip
SCANS = [
    Mutant("a warp's threads add up wrongly", "scan.cuh", "if (lane >= step) value += before;",
           "if (lane > step) value += before;", WORKFRONT),
    Mutant("sums of warps are read before they are there", "scan.cuh",
           "if (lane == 31) sums[warp] = value;\n  __syncthreads();",
           "if (lane == 31) sums[warp] = value;", WORKFRONT, sanitizer="thread"),
    Mutant("a share begins where its neighbour's does", "scan.cuh",
           "if (b < blockIdx.x) both[i] += sum;", "if (b <= blockIdx.x) both[i] += sum;",
           OUT_PREFIX),
    Mutant("a minimum of the last warp", "scan.cuh", "value = min(value, minima[w]);",
           "value = minima[w];", U_GPU),
]  # fmt: skip
BOUNDS = [
    Mutant("a bound that is a label below it", "bounds.cuh",
           "return label < bound ? bound : next_above(label);", "return bound;", NEAR_FAR,
           "float32"),
    Mutant("a bucket begins above its label", "bounds.cuh", "return label / step * step;",
           "return label / step * step + step;", SORTED),
    Mutant("the last bound wraps", "bounds.cuh",
           "return below > never<i64>() - step ? never<i64>()", "return below < 0 ? never<i64>()",
           NEAR_FAR, "int64"),
]  # fmt: skip
BUCKETS = [
    Mutant("a bucket too high", "bucket_order.cuh", "!(label < bounds[key + 1])) ++key;",
           "!(label < bounds[key])) ++key;", SORTED),
    Mutant("the far pile is dropped", "bucket_order.cuh",
           "return bucket_of(dist[v], bounds, buckets);",
           "return dist[v] < bounds[buckets] ? bucket_of(dist[v], bounds, buckets) : buckets + 1;",
           SORTED),
    Mutant("doubles are kept in buckets", "bucket_order.cuh", "v < 0 || table[v] != k ||",
           "v < 0 ||", SORTED, sanitizer="address"),  # they write beyond the lists
    Mutant("counts are read before they are whole", "bucket_order.cuh",
           "atomicAdd(held + key_of(k), 1);\n    __syncthreads();",
           "atomicAdd(held + key_of(k), 1);", SPLIT, sanitizer="thread"),
    Mutant("another item is placed", "bucket_order.cuh", "taken + key, 1)] = items[k];",
           "taken + key, 1)] = items[k] / 2;", SPLIT),
    Mutant("places are given out twice", "bucket_order.cuh", "atomicAdd(taken + key, 1)",
           "taken[key]++", SPLIT, sanitizer="thread"),
    Mutant("the sort forgets the warps before", "bucket_order.cuh",
           "for (int w = 0; w < warp; ++w)", "for (int w = 1; w < warp; ++w)", SORTED),
    Mutant("the sort takes one digit twice", "bucket_order.cuh", "count, 0, items,",
           "count, 4, items,", SORTED),
    Mutant("sizes are not cleared", "bucket_order.cuh", "next[key] = 0;", "next[key] += 0;",
           SORTED),
    Mutant("the wrong bucket is relaxed", "bucket_set.cuh",
           "while (starts[b + 1] == starts[b]) ++b;",
           "while (b + 1 < a.buckets && starts[b + 1] == starts[b]) b += 2;", SORTED),
    Mutant("the far pile is dropped when the buckets are empty", "bucket_set.cuh",
           "if (least == never<L>())", "if (true)", SORTED),
    Mutant("what waits is merged into another bucket", "bucket_order.cuh",
           "new_starts[key_at(starts, at)]", "new_starts[key_at(starts, at) + 1]", MERGED),
    Mutant("what is new is merged into another bucket", "bucket_order.cuh",
           "starts[key_at(new_starts, k) + 1]", "starts[key_at(new_starts, k)]", MERGED),
    Mutant("a new vertex is lost", "bucket_order.cuh", "= new_items[k];", "= new_items[k] / 2;",
           MERGED),
    Mutant("a bucket begins where it did before", "sorted_buckets.cuh",
           "return starts[b] - begin + given[b];", "return starts[b] - begin;", MERGED),
    Mutant("vertices of higher buckets are relaxed late", "sorted_buckets.cuh",
           "return max(starts[b], end);", "return starts[b];", MERGED),
    Mutant("the far pile of a merge is forgotten", "sorted_buckets.cuh", "s.fars += found.far;",
           "", MERGED),
    Mutant("a merge does not change places", "sorted_buckets.cuh", "      s.side = 1 - s.side;\n",
           "", MERGED),
    Mutant("doubles fill the buckets", "sorted_buckets.cuh",
           "if (s.actives + found.near > a.lists.n) {", "if (false) {", MERGED,
           sanitizer="address"),  # they write beyond the lists
    Mutant("what is far stays behind", "buckets.cuh", "      s.fars += far;\n", "", SPLIT),
    Mutant("a refill leaves its pile as it was", "buckets.cuh",
           "    copy_far(a.piles[s.pile], s.fars);\n", "", SPLIT),
]  # fmt: skip
LOOPS_OF_ROUNDS = [
    Mutant("a change is never told", "rounds.cuh", "store_relaxed(changed(), 1);",
           "store_relaxed(changed(), 0);", SWEEP),
    Mutant("a change is told without care", "rounds.cuh", "store_relaxed(changed(), 1);",
           "*changed() = 1;", SWEEP, sanitizer="thread"),
    Mutant("a tile is given out twice", "rounds.cuh", "gridDim.x + atomicAdd(ticket, u64{1});",
           "gridDim.x + (*ticket)++;", BLOCKS, sanitizer="thread"),
    Mutant("phases overtake each other", "rounds.cuh", "    deal(tiles, tile);\n    wait();\n",
           "    deal(tiles, tile);\n", SPLIT),
    Mutant("the labels of the last round are never set", "sweeps.cuh",
           "if (kTwoArrays) a.before[v] = label;", "", STRIDED),
    Mutant("no vertex is flagged at first", "sweeps.cuh", "a.flags[v] = v == a.source;",
           "a.flags[v] = 0;", IN_PLACE),
    Mutant("one round is enough", "sweeps.cuh", "rest = !changed;", "rest = true;", SWEEP),
    Mutant("a list is not the next one", "workfront.cuh", "s.list = {found.near, found.edges};",
           "s.list = {found.near - (found.near > 1), found.edges};", WORKFRONT),
    Mutant("queues do not change places", "workfront.cuh", "How::kQueued && grid.turn % 2 == 1",
           "How::kQueued && grid.turn % 2 == 3", CHILD),
    Mutant("stamps are left as they were", "expand.cuh", "if (How::kQueued) a.stamps[v] = 0;", "",
           CHILD),
    Mutant("the source has another label", "expand.cuh", "v == a.source ? L{0} :",
           "v == a.source ? L{1} :", WORKFRONT),
    Mutant("a negative cycle at the source goes unseen", "expand.cuh",
           "!(load_relaxed(a.dist + a.source) < L{0})", "true", CHILD),
    Mutant("what is far is forgotten", "near_far.cuh", "s.fars += found.far;", "", NEAR_FAR),
    Mutant("the pile does not change places", "near_far.cuh", "    s.pile = 1 - s.pile;\n", "",
           NEAR_FAR),
    Mutant("a pull lowers what is near alone", "near_far_pull.cuh", "if (before < s.low) return;",
           "if (!(before < s.high)) return;", PULLED),
    Mutant("what was pulled does not wait", "near_far_pull.cuh",
           "store_relaxed(a.dist + v, best);\n      a.waiting[v] = 1;",
           "store_relaxed(a.dist + v, best);", PULLED),
    Mutant("a near vertex waits for ever", "near_far_pull.cuh", "least = min(least, label);", "",
           PULLED),
    Mutant("heavy edges wait for ever", "light_heavy.cuh", "else if (removed > 0)",
           "else if (false)", LIGHT_HEAVY),
    Mutant("the bucket is forgotten", "light_heavy.cuh", "removed += selected;",
           "removed = selected;", LIGHT_HEAVY),
    Mutant("light edges are relaxed as heavy ones", "light_heavy.cuh", "(grid, heavy, lists[side],",
           "(grid, a.lists, lists[side],", LIGHT_HEAVY),
    Mutant("the queue does not change places", "stepping.cuh", "s.side = 1 - s.side;", "", RHO),
    Mutant("a gap has a label", "stepping.cuh", "v < 0 ? never<L>() : a", "a", RHO,
           sanitizer="address"),
    Mutant("a label equal to the threshold waits", "stepping.cuh", "above(s.threshold)",
           "s.threshold", RHO),
    Mutant("steps end at an empty interval", "stepping.cuh", "if (!kRho && s.near.count == 0",
           "if (false", DELTA_STAR),
    Mutant("one round is enough", "settle_rounds.cuh", "done = threshold == never<L>();",
           "done = true;", U_GPU),
    Mutant("the frontier is not the source", "settle_rounds.cuh",
           "a.frontier[v] = v == a.source;", "a.frontier[v] = v == 0;", F_GPU),
    Mutant("a step is another tile's", "steps.cuh", "static_cast<i64>(blockIdx.x), counts",
           "static_cast<i64>(blockIdx.x / 2), counts", HYBRID),
    Mutant("half of the vertices are settled", "steps.cuh", "if (v < a.n) settle",
           "if (v < a.n / 2) settle", HYBRID),
]  # fmt: skip
MATRIX = [
    Mutant(
        "the heaviest of parallel edges",
        "adjacency.cuh",
        "!(weight < a.dist[u * a.n + v])",
        "false",
        ENTRY,
    ),
    Mutant(
        "a vertex before its neighbour is another",
        "adjacency.cuh",
        "= static_cast<V>(u);",
        "= static_cast<V>(v);",
        ENTRY,
    ),
    Mutant("a vertex is not at 0 from itself", "adjacency.cuh", "= L{0};", "= L{1};", ENTRY),
]
FLOYD = [
    Mutant("an equal length counts as shorter", "floyd.cuh",
           "if (!(sum < a.dist[i * a.n + j])) return;", "if (sum > a.dist[i * a.n + j]) return;",
           ENTRY, sanitizer="thread"),
    Mutant("a path ends in another vertex", "floyd.cuh", "= a.pred[k * a.n + j];",
           "= static_cast<V>(k);", ENTRY),
    Mutant("a row lacks its last entries", "floyd.cuh", "(a.n + kBlock - 1) / kBlock",
           "(a.n + kBlock / 2) / kBlock", ENTRY),
    Mutant("the shared label is read before it is there", "floyd.cuh",
           "a.dist[i * a.n + a.k];\n    __syncthreads();", "a.dist[i * a.n + a.k];",
           ENTRY_SHARED),
    Mutant("the label of another entry is shared", "floyd.cuh",
           "kept[0] = a.dist[i * a.n + a.k];", "kept[0] = a.dist[a.k * a.n + i];", ENTRY_SHARED),
    Mutant("a row's first entry is left out", "floyd.cuh", "for (i64 j = 0; j < a.n; ++j)",
           "for (i64 j = 1; j < a.n; ++j)", ROW),
    Mutant("a thread beyond the last row", "floyd.cuh", "  if (i >= a.n) return;\n", "", ROW,
           sanitizer="address"),
]  # fmt: skip
TILES = [
    Mutant("the tile after the pivot is the pivot", "floyd_tiles.cuh",
           "(number < p ? number : number + 1)", "(number <= p ? number : number + 1)", TILED),
    Mutant("no tile left of the pivot", "floyd_tiles.cuh",
           "return {other_tile(block - (t - 1), p), p * kTile, false, true};",
           "return {p * kTile, other_tile(block - (t - 1), p), true, false};", TILED),
    Mutant("intermediate vertices beyond the last", "floyd_tiles.cuh",
           "static_cast<int>(min(static_cast<i64>(kTile), a.n - a.k))", "kTile", TILED,
           sanitizer="address"),
    Mutant("a vertex overtakes the one before", "floyd_tiles.cuh",
           "j, a.k + k, counts);\n    }\n    if (place.depends()) __syncthreads();",
           "j, a.k + k, counts);\n    }", TILED, sanitizer="thread"),
    Mutant("a step of the shared tile overtakes another", "floyd_tiles.cuh",
           "before[e] = pred[own];\n    }\n    if (pivot) __syncthreads();",
           "before[e] = pred[own];\n    }", TILED_SHARED, sanitizer="thread"),
    Mutant("a tile is used before it is there", "floyd_tiles.cuh",
           "  Counts<kTraced> counts;\n  __syncthreads();", "  Counts<kTraced> counts;",
           TILED_SHARED, sanitizer="thread"),
    Mutant("the pivot's tile does not follow", "floyd_tiles.cuh",
           "      left[e] = sum;\n", "", TILED_SHARED),
    Mutant("the pivot's predecessors do not follow", "floyd_tiles.cuh",
           "      if (kPaths) before[e] = pred[own];\n", "", TILED_SHARED),
    Mutant("the tile above is the one below", "floyd_tiles.cuh",
           "if (!pivot) fetch<kBlock>(a.dist, a.n, a.k, place.tile.column, right);",
           "if (!pivot) fetch<kBlock>(a.dist, a.n, place.tile.row, place.tile.column, right);",
           TILED_SHARED),
]  # fmt: skip
THREAD_DIJKSTRA = [
    Mutant("not the nearest", "thread_dijkstra.cuh", "      minimum = labels[k];\n", "", THREADS),
    Mutant("a visited vertex is chosen again", "thread_dijkstra.cuh",
           "if (visited[k] || !(labels[k] < minimum)) continue;",
           "if (!(labels[k] < minimum)) continue;", THREADS),
    Mutant("a launch that is not finished says nothing", "thread_dijkstra.cuh",
           "if (step == a.steps)", "if (step > a.steps)", f"{THREADS}"),
    Mutant("an entry of the row is left out", "thread_dijkstra.cuh",
           "weight[first + k] : never<L>();",
           "weight[first + k - (k == 5)] : never<L>();", THREADS),
    Mutant("a path over another vertex", "thread_dijkstra.cuh", "= static_cast<V>(u);",
           "= static_cast<V>(first + k);", THREADS),
    Mutant("the flag is set without care", "thread_dijkstra.cuh", "store_relaxed(a.left, 1);",
           "*a.left = 1;", THREADS, sanitizer="thread"),
]  # fmt: skip
REWEIGHT = [
    Mutant(
        "potentials change places",
        "reweight.cuh",
        "+ base - a.potentials[a.indices[e]];",
        "- base + a.potentials[a.indices[e]];",
        JOHNSON,
    ),
    Mutant(
        "the last edge keeps its length",
        "reweight.cuh",
        "e < a.indptr[u + 1]; ++e",
        "e + 1 < a.indptr[u + 1]; ++e",
        JOHNSON,
    ),
]
TABLE = [
    Mutant("what does not fit goes unseen", "table.cuh",
           "return L(0.5) == L(0) && !lowers(sum, never<L>());", "return false;", BLOCK_EACH,
           "int64"),
    Mutant("sums compare with their sign", "table.cuh",
           "return static_cast<U>(sum) < static_cast<U>(label);", "return sum < label;", PAIRS),
    Mutant("the unreachable label is widened as it is", "table.cuh",
           "wide[place] = unreached ? never<i64>() : static_cast<i64>(label);",
           "wide[place] = static_cast<i64>(label);", BLOCK_EACH),
    Mutant("an edge goes to the vertex before its own", "table.cuh", "at + step - 1) <= slot)",
           "at + step - 1) < slot)", BLOCK_EACH),
    Mutant("a scan of degrees without its last step", "table.cuh", "step < 32; step *= 2) {",
           "step < 16; step *= 2) {", PAIRS),
]  # fmt: skip
BLOCKS_OF_SOURCES = [
    Mutant("an improved vertex does not wait", "block_a_source.cuh",
           "atomicOr(held.waiting + v / 32, bit);",
           "if (v % 5 != 1) atomicOr(held.waiting + v / 32, bit);", BLOCK_EACH),
    Mutant("a waiting vertex is dropped with its neighbours", "block_a_source.cuh",
           "held.waiting[w] = bits ^ taken;", "held.waiting[w] = 0;", BLOCK_EACH),
    Mutant("labels of the last source stay", "block_a_source.cuh",
           "v < n; v += kBlock) held.dist[v]", "v + 1 < n; v += kBlock) held.dist[v]", BLOCK_EACH),
    Mutant("a list of the last round grows", "block_a_source.cuh", "        counts[1 - now] = 0;\n",
           "", BLOCK_EACH),
    Mutant("rounds overtake each other", "block_a_source.cuh",
           "        threshold = above(low, a.delta);\n      }\n      __syncthreads();",
           "        threshold = above(low, a.delta);\n      }", BLOCK_EACH, sanitizer="thread"),
    Mutant("a search ends before its targets are settled", "block_a_source.cuh",
           "settled && dist[a.targets[c]] < threshold;",
           "settled && dist[a.targets[c]] < never<L>();", BLOCK_EACH),
]  # fmt: skip
PAIR_LISTS = [
    Mutant("a pair is listed whoever set its bit", "pairs.cuh",
           "return (atomicOr(bits + pair / 32, bit) & bit) == 0;",
           "return (atomicOr(bits + pair / 32, bit) & bit) != 0;", PAIRS),
    Mutant("bits stay set", "pairs.cuh", "      clear_bit(bits, pair);\n", "", PAIRS),
    Mutant("the far pile is dropped", "pairs.cuh", "far.push(lane, stays, pair);",
           "far.push(lane, stays && pair % 5 != 1, pair);", PAIRS),
    Mutant("what has come near is dropped", "pairs.cuh", "near.push(lane, comes, pair);",
           "near.push(lane, comes && pair % 5 != 1, pair);", PAIRS),
    Mutant("two pairs get one place", "pairs.cuh", "__popc(mask & ((1u << lane) - 1));",
           "0;", PAIRS),
    Mutant("the edges of another source's vertex", "pairs.cuh",
           "pair = row + static_cast<u32>(a.indices[e]);",
           "pair = origin + static_cast<u32>(a.indices[e]);", PAIRS),
    Mutant("a batch ends before its targets are settled", "pairs.cuh",
           "a.targets[i % a.columns]) < threshold;",
           "a.targets[i % a.columns]) < never<L>();", PAIRS),
    Mutant("a list is read while it grows", "pairs.cuh", "    meet(a.control + kArrived);\n", "",
           PAIRS, sanitizer="thread"),
]  # fmt: skip
PAIR_SIDES = [
    Mutant("another lane's sources", "pair_row_items.cuh", "if (lane == owner[k]) mine = near;",
           "if (lane <= owner[k]) mine = near;", PAIRS),
    Mutant("sources that were not taken stop waiting", "pair_row_items.cuh",
           "store_relaxed(a.waiting + v, bits ^ sources);",
           "store_relaxed(a.waiting + v, u64{0});", PAIRS),
    Mutant("blocks give out places twice", "pair_row_items.cuh",
           "*place = atomicAdd(size, static_cast<u32>(total));", "*place = *size, *size += total;",
           PAIRS, sanitizer="thread"),
    Mutant("no room for the second run of a row", "pair_row_items.cuh",
           "+ kRowEdges - 1) / kRowEdges);", "+ kRowEdges - 1) / kRowEdges > 0);",
           PAIRS),
    Mutant("the sources of the second half", "pair_rows.cuh", "<< (h * kHalf);", "<< 0;", PAIRS),
    Mutant("the last edge of a run", "pair_rows.cuh", "if (active[h] && e + k < edges) old",
           "if (active[h] && e + k + 1 < edges) old", PAIRS),
    Mutant("a source's threshold rises while it has items", "pair_rows.cuh",
           "bound.of[h] = low == never<L>() ? low : threshold.of[h];",
           "bound.of[h] = never<L>();", PAIRS),
    Mutant("items are relaxed before they are there", "pair_rows.cuh",
           "atomicOr(a.busy + now, busy[0]);\n    meet(a.control + kMeeting);",
           "atomicOr(a.busy + now, busy[0]);", PAIRS, sanitizer="thread"),
]  # fmt: skip
OF_PATCHES = [
    Mutant("the end is seen too early", "patch_schedule.cuh",
           "stopped || load_relaxed(a.open) == 0", "stopped || load_relaxed(a.open) != 0", PATCHES),
    Mutant("a plain read of what others lower", "patch_schedule.cuh",
           "  return load_relaxed(place);", "  return *place;", PATCHES, sanitizer="thread"),
    Mutant("received labels are not read", "patches.cuh", "    if (words[1]) {",
           "    if (words[1] && false) {", PATCHES),
    Mutant("what is left in a patch is forgotten", "patches.cuh",
           "if (own < held.done[k]) rest = min(rest, own);", "", PATCHES),
    Mutant("a patch that comes back has nothing to relax", "patch.cuh",
           "bits >> (v % 32) & 1 ? never<L>() : own[k];", "own[k];", PATCHES),
    Mutant("the edges beyond the first are left out", "patch.cuh",
           "u32 e = held.begin[k] + held.kKept;", "u32 e = end;", PATCHES),
    Mutant("the second vertex of a thread passes nothing on", "patches.cuh",
           "fresh[(t + k * kBlock) / 32] = bits;", "fresh[t / 32] = bits;", PATCHES),
    Mutant("labels leave a patch before all of them are known", "patches.cuh",
           "    __syncthreads();\n    const int woken", "    const int woken", PATCHES,
           sanitizer="thread"),
    Mutant("a patch is put back where the next one lies", "patches.cuh",
           "held.store(a, rows + (words[3] + 1) % 2 * kRow, label);\n      held.load",
           "held.store(a, rows + words[3] % 2 * kRow, label);\n      held.load", PATCHES),
    Mutant("a label is read as if no thread lowered it", "patch.cuh",
           "load_block(label + threadIdx.x + k * kBlock);", "label[threadIdx.x + k * kBlock];",
           PATCHES, sanitizer="thread"),
    Mutant("relaxations begin before all received labels are there", "patches.cuh",
           "found.fresh = 0;\n    __syncthreads();", "found.fresh = 0;", PATCHES,
           sanitizer="thread"),
]  # fmt: skip
MATRICES = [
    Mutant(
        "another row of a tile as the pivot's",
        "floyd_warshall.cuh",
        "const bool second = four / 16 % 2 != 0;",
        "const bool second = four / 16 % 2 == 0;",
        BLOCKED,
    ),
    Mutant(
        "a tile is closed by its first rows only",
        "floyd_warshall.cuh",
        "four < T::kSide; four += 4",
        "four < T::kSide / 2; four += 4",
        BLOCKED,
    ),
    Mutant(
        "a slice is lowered before it has come",
        "tile.cuh",
        "    wait_for_copies();\n    __syncthreads();\n",
        "    wait_for_copies();\n",
        BLOCKED,
    ),
    Mutant(
        "halves that are not doubled",
        "min_plus.cuh",
        "static_cast<unsigned short>(label) * 0x10001u",
        "static_cast<unsigned short>(label)",
        BLOCKED,
    ),
    Mutant(
        "a sum that is left out",
        "min_plus.cuh",
        "__vimin3_s16x2(c, sum_by_product(a0, b0), sum_by_product(a1, b1))",
        "__vimin3_s16x2(c, sum_by_product(a0, b0), sum_by_product(a0, b0))",
        BLOCKED,
    ),
    Mutant(
        "the other of two steps side by side",
        "tile.cuh",
        "kPaired ? 2 * j + 1 - s",
        "kPaired ? 2 * j + s",
        BLOCKED,
    ),
    Mutant(
        "half of the depth",
        "tile.cuh",
        "slices = depth / T::kSlice;",
        "slices = depth / T::kSlice / 2;",
        BLOCKED,
    ),
    Mutant(
        "the last of parallel edges",
        "matrix.cuh",
        "      atomic_min(row + a.indices[e], static_cast<L>(weight + W(0)));",
        "      row[a.indices[e]] = static_cast<L>(weight + W(0));",
        BLOCKED,
    ),
    Mutant(
        "far is not unreachable",
        "matrix.cuh",
        "far ? never<W>() : static_cast<W>(label)",
        "static_cast<W>(label)",
        BLOCKED,
    ),
]
RESULT = [
    Mutant(
        "an edge of no length in the tree",
        "tree.cuh",
        "before < label && label",
        "label",
        "results",
    ),
    Mutant(
        "the predecessor that comes last",
        "tree.cuh",
        "u < load_relaxed(a.pred + v))\n      atomic_min(a.pred + v, u);",
        "u != load_relaxed(a.pred + v))\n      store_relaxed(a.pred + v, u);",
        "results",
    ),
    Mutant(
        "a vertex that only edges of no length reach is not told",
        "tree.cuh",
        "store_relaxed(a.missing, 1);",
        "store_relaxed(a.missing, 0);",
        "results",
    ),
    Mutant(
        "a vertex at the cutoff is left out",
        "tree.cuh",
        "label > a.cutoff",
        "label >= a.cutoff",
        "results",
    ),
]
WIDE_ROWS = [
    Mutant(
        "what is left of a row is forgotten",
        "wide_rows.cuh",
        "a.rest[vertex] = RowRemainder<L>{sum[s], place};",
        "a.rest[vertex] = RowRemainder<L>{never<L>(), place};",
        WIDE,
    ),
    Mutant(
        "pulled labels are not lowered from each other",
        "wide.cuh",
        "        mend = true;\n",
        "",
        WIDE,
    ),
    Mutant("the first bucket is taken for the last", "wide.cuh",
           "      last = !(bound < a.limit);\n", "      last = true;\n", WIDE),
    Mutant("what was pulled is not kept", "wide_rows.cuh",
           "if (*fell) store_relaxed(a.dist + v, best);", "", WIDE),
    Mutant("warps write over each other's entries", "wide_lists.cuh",
           "lane, taken[1] + __shfl_sync(~0u, at, 0));", "lane, taken[1]);", WIDE),
    Mutant("the second half of a warp is not held", "wide_lists.cuh",
           "const u32 mask = __ballot_sync(~0u, wanted);",
           "const u32 mask = __ballot_sync(~0u, wanted) & 0xffffu;", WIDE),
    Mutant("a look at all vertices sees no row", "wide_survey.cuh",
           "if (v >= a.leaves) continue;", "if (v >= 0) continue;", WIDE),
    Mutant("a look finds less than the least", "wide_survey.cuh",
           "if (low != never<L>()) atomic_min(minimum, low);", "", WIDE),
    Mutant(
        "a stale entry is told by a plain read",
        "wide.cuh",
        "load_relaxed(a.dist + u) != entry.label",
        "a.dist[u] != entry.label",
        WIDE,
        sanitizer="thread",
    ),
]  # fmt: skip
DIVIDED_SEARCH = [
    Mutant("a received label does not list its vertex", "wide_part.cuh",
           "push(me.lane, fell && entry.vertex < a.leaves,", "push(me.lane, false,", DIVIDED),
    Mutant("labels for all owners lie in one list", "wide_part.cuh",
           "outgoing[block.list + place] =", "outgoing[place] =", DIVIDED),
    Mutant("lists are written while others read them", "wide_part.cuh",
           "p.outgoing + turn * p.room;", "p.outgoing;", DIVIDED),
    Mutant("a foreign label is sent only once", "wide_part.cuh",
           "is = label[s] < p.sent[block.list + v];",
           "is = label[s] < p.sent[block.list + v] && p.sent[block.list + v] == never<L>();",
           DIVIDED),
    Mutant("a part is quiet though it has vertices to relax", "wide_part.cuh",
           "const bool quiet = sizes.entries + sizes.runs == 0;", "const bool quiet = true;",
           DIVIDED),
    Mutant("labels pulled on several devices are not lowered from each other", "wide_part.cuh",
           "me, step == kMend, settled);", "me, false, settled);", DIVIDED),
]  # fmt: skip
LEVELS = [
    Mutant("labels do not grow", "breadth_first.cuh", "    label = next;\n", "", BFS),
    Mutant("what was found by looking back is not listed", "breadth_first.cuh",
           "      in_bits = true;\n", "", BFS),
    Mutant("the search ends before its last level", "breadth_first.cuh", "found.edges != 0;",
           "found.edges > 1;", BFS),
    Mutant("a vertex without edges in counts as seen", "breadth_first_levels.cuh",
           "next[word] = seen[word] | me.found_bits[me.lane];",
           "next[word] = seen[word] | me.found_bits[me.lane] | a.without_in_edges[word];", BFS),
    Mutant("only the last edges under way count", "breadth_first_levels.cuh",
           "found = found || (hits & upto & ~below) != 0;",
           "found = (hits & upto & ~below) != 0;", BFS),
    Mutant("the second part of a row is its first", "breadth_first_levels.cuh",
           "static_cast<u64>(v) << 32 | (i + 1);", "static_cast<u64>(v) << 32 | i;", BFS),
    Mutant("the pieces of a row are all its first", "breadth_first_rows.cuh",
           "static_cast<u64>(base + begin)", "static_cast<u64>(base)", BFS),
    Mutant("warps write over each other's pieces", "breadth_first_rows.cuh",
           "sums->begin + __shfl_sync(~0u, at, 0) + all.before", "sums->begin + all.before", BFS),
    Mutant("the first item of a lane is the one before", "breadth_first_rows.cuh",
           "lane + step) <= place) lane += step;", "lane + step) < place) lane += step;", BFS),
    Mutant("a block tells of what its warps have not told it", "breadth_first_rows.cuh",
           "  me.edges = 0;\n  __syncthreads();\n", "  me.edges = 0;\n", BFS,
           sanitizer="thread"),
    Mutant("bits that others set are read as if they were not", "grid.cuh",
           "  return load_relaxed(place);", "  return *place;", BFS, sanitizer="thread"),
]  # fmt: skip
SWEEPS = [
    Mutant("the last arc is left out", "hierarchy_sweep.cuh",
           "count = static_cast<int>(a.first[place + 1] - begin);",
           "count = static_cast<int>(a.first[place + 1] - begin) - 1;", GPHAST),
    Mutant("rows of the top's matrix are its columns", "hierarchy_top.cuh",
           "static_cast<i64>(row + i * kWarps + warp) * a.top + depth + lane];",
           "static_cast<i64>(depth + lane) * a.top + row + i * kWarps + warp];", GPHAST),
    Mutant("labels of searches upward are forgotten", "hierarchy_sweep.cuh",
           "if (arcs.touched == a.sweep) minimum", "if (arcs.touched > a.sweep) minimum", GPHAST),
    Mutant("a line keeps labels of an earlier sweep", "hierarchy_top.cuh",
           "for (int i = lane; i < a.width; i += 32)", "for (int i = lane; i < 1; i += 32)",
           GPHAST),
    Mutant("a search stops at its first places", "hierarchy_upward.cuh",
           "atomicAdd(sizes + (round + 1) % 3, 1U);", "atomicAdd(sizes + (round + 2) % 3, 1U);",
           GPHAST),
    Mutant("labels of the top are forgotten", "hierarchy_upward.cuh",
           "return place < a.top && of_top[place] != never<L>() ? place : -1;", "return -1;",
           GPHAST),
    Mutant("the shortest of upward labels is left out", "hierarchy_upward.cuh",
           "a.down_weights[arc]), label)) return true;",
           "a.down_weights[arc]), never<L>())) return true;", GPHAST),
    Mutant("the first level is not swept", "hierarchy_sweep.cuh",
           "for (int level = 0;; ++level)", "for (int level = 1;; ++level)", GPHAST),
    Mutant("levels are not parted", "hierarchy_sweep.cuh",
           "    meet(a.arrived);\n    now = after;", "    now = after;", GPHAST,
           sanitizer="thread"),
    Mutant("a row is written to its neighbour", "hierarchy_rows.cuh",
           "a.out.put((row + i) * a.columns", "a.out.put((row + (i ^ 1)) * a.columns", GPHAST),
    Mutant("a square is read before it is whole", "hierarchy_rows.cuh",
           "a.width + row + lane];\n    __syncthreads();", "a.width + row + lane];", GPHAST,
           sanitizer="thread"),
    Mutant("a target counts once", "hierarchy_totals.cuh", "count[i] += kOnce ? 1 : times[k];",
           "count[i] += 1;",
           GPHAST),
    Mutant("totals leave out a warp", "hierarchy_totals.cuh",
           "for (int w = 1; w < kBlock / 32; ++w)", "for (int w = 2; w < kBlock / 32; ++w)",
           GPHAST),
    Mutant("totals leave out the first block", "hierarchy_totals.cuh",
           "part[k] = block < blocks ?", "part[k] = block > 0 && block < blocks ?", GPHAST),
    Mutant("totals are those of the neighbour", "hierarchy_totals.cuh",
           "total[source] = mine;", "total[source ^ 1] = mine;", GPHAST),
]  # fmt: skip
TREE_LABELS = [
    Mutant("the last common ancestor is dropped", "tree_labels.cuh", "(kAll || k < count)",
           "(kAll || k + 1 < count)", H2H),
    Mutant("labels are read beyond the common ancestors", "tree_labels.cuh",
           "if ((kAll || k < count) && sum < least)", "if (sum < least)", H2H),
    Mutant("a vertex is no ancestor of itself", "tree_labels.cuh",
           "return x.depth + 1;", "return x.depth;", H2H),
    Mutant("the depth of the first position counts", "tree_labels.cuh",
           "for (int at = from + 1; at <= to; ++at)", "for (int at = from; at <= to; ++at)", H2H),
    Mutant("the block of the second position has no say", "tree_labels.cuh",
           "ascending ? y.before : x.before", "ascending ? y.depth : x.depth", H2H),
    Mutant("the block of the first position has no say", "tree_labels.cuh",
           "ascending ? x.after : y.after", "kNoDepth", H2H),
    Mutant("blocks between two positions have no say", "tree_labels.cuh",
           "between > 0)", "between > 9999)", H2H),
    Mutant("the last blocks between two positions have no say", "tree_labels.cuh",
           "of_blocks[end - (1 << row)]", "of_blocks[begin + 1]", H2H),
    Mutant("half of the lanes have no say in the distance of a pair", "tree_labels.cuh",
           "step > 0; step /= 2) {\n      const U other",
           "step > 1; step /= 2) {\n      const U other", H2H),
    Mutant("lanes give away the rows that they keep", "tree_labels.cuh",
           "upper ? least[i] : least[i + step], step", "upper ? least[i + step] : least[i], step",
           H2H),
    Mutant("both labels of a pair are those to ancestors", "tree_labels.cuh",
           "L* const to = a.down +", "L* const to = a.up +", H2H),
    Mutant("labels of columns are those to ancestors", "tree_labels.cuh", "target(a.down +",
           "target(a.up +", H2H),
    Mutant("entries that no lane keeps are left out", "tree_labels.cuh",
           "for (int at = kKept * kStep; left > 0;", "for (int at = kKept * kStep; left > 9999;",
           H2H),
    Mutant("the last pairs of a launch are left out", "tree_labels.cuh",
           "const bool has = pair < a.rows;", "const bool has = first + kGroups <= a.rows;", H2H),
    Mutant("rows of a table are the first of eight", "tree_labels.cuh", "a.sources[row + i + lane]",
           "a.sources[row + i]", H2H),
]  # fmt: skip
REPAIR = [
    Mutant("the first list is relaxed again", "repair.cuh", "++rounds % 2 != 0;", "++rounds > 0;",
           REPAIRS),
    Mutant("no vertex with another label is listed", "repair.cuh",
           "changed = steps.list_changed();", "steps.list_changed();", REPAIRS),
    Mutant("weights stay as they were", "repair_labels.cuh", "a.changed.place(k) >= 0)",
           "a.changed.place(k) < -1)", REPAIRS),
    Mutant("the first longer edge affects no vertex", "repair_labels.cuh",
           "bool lost = k < a.changed.count &&", "bool lost = k > 0 && k < a.changed.count &&",
           REPAIRS),
    Mutant("vertices jump in one turn only", "repair_labels.cuh",
           "        open = open || up >= 0;\n", "", REPAIRS),
    Mutant("a vertex jumps without care", "repair_labels.cuh", "store_relaxed(a.jump + v, up);",
           "a.jump[v] = up;", REPAIRS, sanitizer="thread"),
    Mutant("stamps of the last batch stay", "repair_labels.cuh", "      a.stamps[v] = 0;\n", "",
           REPAIRS),
    Mutant("closed vertices are passed", "repair_labels.cuh",
           "return u >= a.closed || u == a.source;", "return u >= 0;", REPAIRS),
    Mutant("new and shorter edges are not relaxed", "repair_labels.cuh",
           "wanted = !affected(u) &&", "wanted = affected(u) &&", REPAIRS),
    Mutant("affected vertices take their labels from the first 32 edges", "repair_labels.cuh",
           "for (; begin < end; begin += 32)", "for (i64 e = begin; e == begin; end = begin, ++e)",
           REPAIRS),
    Mutant("vertices that are left after a block's rounds are lost", "repair_relax.cuh",
           "          leave(shared, queue, held, output);\n", "", REPAIRS),
    Mutant("long rows are not relaxed", "repair_relax.cuh",
           "if (t % kTogether == 0) atomicExch(&shared.long_rows, 1u);", "", REPAIRS),
    Mutant("vertices that a queue does not hold are lost", "repair_relax.cuh",
           "      put(output.list, atomicAdd(turns.count(), 1u), {sum, v});", "      return;",
           REPAIRS),
    Mutant("vertices that a list does not hold are lost", "repair_relax.cuh",
           "all = count > a.room;", "all = false;\n    count = min(count, a.room);", REPAIRS),
    Mutant("a block leaves out entries of its share", "repair_relax.cuh",
           "first + i * gridDim.x;", "first + i * (gridDim.x + 1);", REPAIRS),
    Mutant("a queue is read before it is there", "repair_relax.cuh",
           "atomicAdd(shared.sizes, 1u)] = entry;\n    }\n    __syncthreads();",
           "atomicAdd(shared.sizes, 1u)] = entry;\n    }", REPAIRS, sanitizer="thread"),
    Mutant("half of the lanes have no say in the predecessor", "repair_tree.cuh",
           "step = 16; step > 0;", "step = 16; step > 1;", REPAIRS),
    Mutant("heads of changed edges keep their predecessors", "repair_tree.cuh",
           "touch(k < a.changed.count ? a.changed.head(k) : -1);", "touch(-1);", REPAIRS),
    Mutant("heads of edges of changed vertices keep their predecessors", "repair_tree.cuh",
           "touch(e < a.indptr[u + 1] ? a.indices[e] : -1);", "touch(-1);", REPAIRS),
    Mutant("a vertex of the same level is a predecessor", "repair_tree.cuh",
           "stamped != kFlat && stamped != level", "stamped != kFlat", REPAIRS),
    Mutant("predecessors over edges of length 0 stay", "repair_tree.cuh",
           "touch(up >= 0 && !(a.old_dist[up] < a.old_dist[v]) ?", "touch(up < -1 ?", REPAIRS),
    Mutant("a list goes on with the count of another", "repair_turns.cuh",
           "      c_->slots[(turn_ + 2) % 3] = {0, 0, 0};\n", "", REPAIRS),
    Mutant("vertices of a warp share a place", "repair_turns.cuh",
           "+ __popc(mask & ((1u << lane) - 1));", ";", REPAIRS),
]  # fmt: skip
COUNTING = [
    Mutant("items of four lanes are added up", "counting_block.cuh",
           "for (int half = 4; half > 0; half /= 2)", "for (int half = 2; half > 0; half /= 2)",
           COUNTED),
    Mutant("the first item is left out", "counting_block.cuh",
           "__shfl_sync(~0u, of_item, 0);", "__shfl_sync(~0u, of_item, 8);", COUNTED),
    Mutant("paths as short as others are not added", "counting_upward.cuh",
           "} else if (sum == before) {", "} else if (false) {", COUNTED),
    Mutant("shares do not turn up", "counting_upward.cuh",
           "(b.turns[number] >> lane & 1) != 0 ?", "false ?", COUNTED),
    Mutant("longer arcs down count paths", "counting_rows.cuh", "sums[k] == label &&",
           "sums[k] >= label &&", COUNTED),
    Mutant("a target has no share of its own", "counting_rows.cuh", "shares += 1 / paths;", "",
           COUNTED),
    Mutant("the sweep back leaves out the last level", "counting_sweep.cuh",
           "for (int level = a.levels; level-- > 0;)",
           "for (int level = a.levels - 1; level-- > 0;)", COUNTED),
    Mutant("sums of arcs up are kept for the next sources", "counting_sweep.cuh",
           "i >= a.up_begin && i < a.up_end", "i < 0", COUNTED),
]  # fmt: skip
MUTANTS = [
    *BASE, *PUSH, *EMIT, *MAPS, *PULL, *DENSE, *REDUCE, *SETTLE, *ADOPT, *LISTS, *SCANS, *BOUNDS,
    *BUCKETS, *LOOPS_OF_ROUNDS,
    *MATRIX, *FLOYD, *TILES, *THREAD_DIJKSTRA, *REWEIGHT, *TABLE, *BLOCKS_OF_SOURCES, *PAIR_LISTS,
    *PAIR_SIDES, *OF_PATCHES, *MATRICES, *RESULT, *WIDE_ROWS, *DIVIDED_SEARCH, *LEVELS,
    *SWEEPS, *TREE_LABELS, *COUNTING, *REPAIR,
]  # fmt: skip


def of_full_run(mutant):
    """A mutant as a parameter: it runs again when its header or the quick suite has changed.

    The first of all runs always.
    """
    header = KERNELS.replace("*.cuh", mutant.file)
    part = pytest.mark.full(f"mutants of {mutant.file}", header, *EMULATOR)
    marks = [] if mutant is MUTANTS[0] else part
    return pytest.param(mutant, marks=marks, id=f"{mutant.file}: {mutant.breaks}")


@pytest.mark.parametrize("mutant", [of_full_run(one) for one in MUTANTS])
def test_a_fault_in_a_kernel_is_found(mutant, quick):
    text = (HEADERS / mutant.file).read_text()
    assert text.count(mutant.original) == 1, "the mutant's text is not once in the kernel"
    name = re.sub(r"\W+", "_", f"{mutant.file} {mutant.breaks}")
    folder = CACHE / "mutants" / name  # always the same: what was compiled is found again
    shutil.copytree(HEADERS, folder, dirs_exist_ok=True)
    (folder / mutant.file).write_text(text.replace(mutant.original, mutant.mutated))
    if mutant.recipes in APART:
        ran = run_apart(APART[mutant.recipes], folder, mutant.dtype)
    else:
        recipes = mutant.recipes.split()
        ran = quick(folder, recipes, mutant.dtype, sanitizer=mutant.sanitizer, seconds=ENDLESS)
    assert ran.returncode != 0, "the mutant survives"
    assert "cannot compile" not in ran.stderr, ran.stderr
    assert not re.search("^(Name|Attribute|Type|Import)Error", ran.stderr, re.MULTILINE), ran.stderr
    if mutant.sanitizer != "none":
        assert f"{mutant.sanitizer.title()}Sanitizer: " in ran.stderr, ran.stderr[-4000:]


@pytest.mark.full("kernels without a fault", KERNELS, *EMULATOR)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_the_kernels_as_they_are_have_no_such_fault(quick, dtype):
    names = sorted({name for mutant in MUTANTS for name in mutant.recipes.split()} - APART.keys())
    for strided in (True, False):  # those that stride run in smaller blocks
        some = [name for name in names if ("strided" in name) == strided]
        ran = quick(HEADERS, some, dtype, seconds=ENDLESS)
        assert ran.returncode == 0, ran.stderr[-4000:]


@pytest.mark.full("wide_part.cuh without a fault", KERNELS, *EMULATOR)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_a_divided_search_as_it_is_has_no_such_fault(dtype):
    ran = run_apart(check_divided, HEADERS, dtype)
    assert ran.returncode == 0, ran.stderr[-4000:]


def run_apart(check, headers, dtype):
    """Run a check in a process of its own: its kernels may be broken."""
    if loaded_sanitizer():
        pytest.skip("the core that this process has loaded is made for a sanitizer")
    name = check.__name__
    program = f"import sys; from kernels.test_mutants import {name}; {name}(*sys.argv[1:])"
    command = [sys.executable, "-X", "faulthandler", "-c", program, str(headers), dtype]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_divided(headers, dtype):
    """Search over three devices, in many buckets and by pulling, and in one bucket on one device.

    A launch has one round, after which the device goes on only if its part is not quiet.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS))  # a broken kernel may be endless
    devices = []
    for number in range(3):
        device = EmulatedDevice(number, 64, 1, headers=Path(headers), cache=CACHE)
        device.name, device.xp = f"emulated:{number}", Unset()
        devices.append(device)
    rows.HUB = 40
    for count, delta, search.PULL_COST in ((3, 1, 2**30), (3, 1, 0), (1, 1e300, 2**30)):
        for symmetric in (True, False):
            graph = skewed(dtype, symmetric=symmetric)
            for source in (3, 500):
                problem = Problem(Task.SSSP, np.array([source]))
                order = Order(CATALOGUE[WIDE], graph, problem, 1, {"delta": delta})
                with noting(f"{graph!r} from {source}, {count=}, {search.PULL_COST=}"):
                    raw = parts.solve_divided(order, devices[:count])
                    assert_same_bits(as_labels(graph, raw.dist), expected(graph, source), graph)


def test_every_kernel_file_has_two_mutants():
    for file in HEADERS.glob("*.cuh"):
        # The maps' mutants go through the sets, those of rounds through their control; the emulator
        # has a grid's barrier of its own; what a running kernel is told is in test_flight.py.
        if file.name not in {"set.cuh", "grid.cuh", "halt.cuh", "round_control.cuh"}:
            assert len([m for m in MUTANTS if m.file == file.name]) >= 2, file.name


def check_counted(headers, dtype):
    """Count paths from sources whose groups go on with the memory of other ones."""
    resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS))  # a broken kernel may be endless
    device = EmulatedDevice(0, 64, 1, headers=Path(headers), cache=CACHE)
    device.xp = Unset()
    grid = generate.grid(8, 9, weights=(1, 2), seed=1).astype(dtype)
    sources = np.arange(grid.n)
    shares = PathShares(sources, endpoints=True, cutoffs=None, lengths=None, swept=True)
    (there,) = counting_sweeps.path_sums(
        device, grid, shares, sources, range(0, 1, BLOCK), stay=False
    )
    here = shares.of(grid, sources, 1)
    assert np.array_equal(there.vertices, here.vertices)
    assert np.array_equal(there.edges, here.edges)


@pytest.mark.full("counting sweeps without a fault", KERNELS, *EMULATOR)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_counting_sweeps_as_they_are_have_no_such_fault(dtype):
    ran = run_apart(check_counted, HEADERS, dtype)
    assert ran.returncode == 0, ran.stderr[-4000:]


#: What checks mutants that no recipe of the quick suite runs.
APART = {DIVIDED: check_divided, COUNTED: check_counted}
