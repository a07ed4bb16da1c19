#!/usr/bin/env bash
# The road network of Rome, start to end: what it is, distances, a route, and why it was done so.
# Needs the command: pip install 'warpath[cli]'.
set -euo pipefail
cd "$(dirname "$0")"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show warpath info data/rome99.gr.xz
show warpath sssp data/rome99.gr.xz --source 1
show warpath distances data/rome99.gr.xz --sources 1,1000 --targets 500,2000,3353
show warpath nearest data/rome99.gr.xz --facilities 1,500,3353
show warpath path data/rome99.gr.xz 1 344
show warpath plan data/rome99.gr.xz --source 1
