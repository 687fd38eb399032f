#!/bin/sh
# The long campaign, in batches that are remembered: stop it and start it again.
# usage: torture-full.sh FOLDER [TIMES]
# IO_FAULTS names the faults of torture-io, as the Makefile does.
# FOLDER gets progress (batches done), results (what was found) and the output of
# batches that failed. TIMES is how often the long numbers are run; 5 by default.
set -u
folder=$1 times=${2:-5} go=${GO:-go}
mkdir -p "$folder"
touch "$folder/progress" "$folder/results"
failed=0

# once NAME COMMAND...: runs a batch unless it is done; keeps its RESULT lines
once() {
  name=$1
  shift
  grep -qxF "$name" "$folder/progress" && return
  if "$@" >"$folder/$name.out" 2>&1; then
    echo "$name" >>"$folder/progress"
  else
    failed=1
    echo "failed: $name, see $folder/$name.out"
  fi
  sed -n 's/^.*RESULT harness=/RESULT harness=/p' "$folder/$name.out" >>"$folder/results"
  grep -qxF "$name" "$folder/progress" && rm -f "$folder/$name.out"
}

# batches HARNESS PACKAGE TEST TRIALS SIZE: twenty trials take one seed
batches() {
  seed=1
  while [ $(((seed - 1) * 20)) -lt "$4" ]; do
    once "$1-$seed" env CORTEX_TORTURE="$5" CORTEX_SEED=$seed "$go" test -count=1 -timeout 60m -v -run "^$3\$" "$2"
    seed=$((seed + $5 / 20))
  done
}

batches torture-power ./cortex/cortextest TestTorturePower $((10000 * times)) 1000
batches torture-kill ./cortex/cortextest TestTortureKill $((10000 * times)) 1000
batches torture-daemon ./cmd/cortex TestTortureDaemon $((2000 * times)) 200
for fault in $IO_FAULTS; do
  for from in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do # many processes: a dead store keeps its memory
    once "torture-io-$fault-$from" env CORTEX_IO_EVERY=16 CORTEX_IO_FROM=$from "$go" test -count=1 -timeout 60m -v -run "^TestTortureIO\$/^$fault\$" ./cortex/cortextest
  done
done
part=0 victims=$(cd "$folder" && pwd)
while [ $part -lt 61 ]; do
  once "torture-sector-$part" env CORTEX_SECTOR=$((2097152 * times)) CORTEX_PART=$part/61 CORTEX_VICTIMS="$victims" "$go" test -count=1 -timeout 10h -v -run '^TestTortureSector$' ./cortex/store/fsck
  part=$((part + 1))
done
for target in torture torture-store tamper linear sim metamorphic torture-runs linear-runs torture-plans linear-plans reference-plans; do
  make -n "$target" >/dev/null 2>&1 && once "$target" make "$target"
done
cat "$folder/results"
exit $failed
