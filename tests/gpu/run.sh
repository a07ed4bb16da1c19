#!/usr/bin/env bash
# What is run on a machine with a GPU, in parts that each take a few minutes, from the root of the
# repository with warpath installed:
#
#   tests/gpu/run.sh tests OUTPUT [COMMIT]             the tests, recorded
#   tests/gpu/run.sh sanitize OUTPUT                   compute-sanitizer, into that record
#   tests/gpu/run.sh study OUTPUT COMMIT FILE [BUDGET] every recipe on FILE and generated graphs
#   tests/gpu/run.sh extra OUTPUT COMMIT FILE [BUDGET] what the findings need beside it
#   tests/gpu/run.sh pages OUTPUT                      tables and findings from all lines
#
# BUDGET: seconds after which nothing is begun, 560 if not given. A study continues the lines of
# docs/benchmarks/CHIP.jsonl and of OUTPUT/CHIP.jsonl; CHIP is h100 if not given. With several GPUs
# (GPUS=4) each takes a part; what runs on the CPU is shared by CORES processes (8) at the same time.
# A solve may take LIMIT seconds (60) on a GPU, CPU_LIMIT (120) on the CPU.
set -uo pipefail
cd "$(dirname "$0")/../.."

part=$1
output=$2
commit=${3:-}
file=${4:-}
budget=${5:-560}
chip=${CHIP:-h100}
lines=$output/$chip.jsonl
gpus=${GPUS:-1}
cores=${CORES:-8}
mkdir -p "$output"
[ -e "$lines" ] || cp "docs/benchmarks/$chip.jsonl" "$lines" 2>/dev/null

catalogue() { # name of its log, then options
    local log=$output/$1.log
    shift
    python -m warpath_bench catalogue --lines "$lines" --commit "$commit" --budget "$budget" "$@" \
        >"$log" 2>&1 || { echo "failed: $log"; tail -5 "$log"; }
}

share() { # studies...
    local k
    for k in $(seq "$gpus"); do
        CUDA_VISIBLE_DEVICES=$((k - 1)) catalogue "gpu-$k" --devices cuda --share "$k/$gpus" \
            --files "$file" --limit "${LIMIT:-60}" --study "$@" &
    done
    for k in $(seq "$cores"); do
        CUDA_VISIBLE_DEVICES= catalogue "cpu-$k" --devices cpu --share "$k/$cores" \
            --files "$file" --limit "${CPU_LIMIT:-120}" --study "$@" &
    done
    wait
    cat "$output"/gpu-*.log "$output"/cpu-*.log | cut -c1-200
}

case $part in
tests)
    PYTHONPATH=tools:tests python -m record --output "$output" --commit "$commit" --compile "$(nproc)"
    ;;
sanitize)
    PYTHONPATH=tools:tests python -m record --output "$output" --sanitize-only --seconds 540
    ;;
study) share catalogue ;;
extra) share delta degree lists matrices queues strided ;;
pages)
    python -m warpath_bench catalogue --lines "$lines" --recipes none --table "$output/catalogue-$chip.md"
    python -m warpath_bench findings --lines "$lines" --records "$output" docs/gpu-runs \
        --papers docs/benchmarks/papers --output "$output/papers"
    ;;
*)
    sed -n '2,/^set/p' "$0" | grep '^#'
    exit 2
    ;;
esac
