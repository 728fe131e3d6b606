#!/usr/bin/env bash
# Builds the fuzz targets and runs each for SECONDS (default 10; 0 only builds):   fuzz/run.sh [SECONDS] [TARGET ...]
# Starts from the models in the repository; what a longer run finds interesting is kept in build/fuzz/corpus.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-10}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(urdf sdf mjcf scenario)
declare -A seeds=([urdf]="$root/models/*.urdf" [sdf]="$root/models/*.sdf" [mjcf]="$root/models/*.xml"
                  [scenario]="$root/scenarios/*.toml")

cd "$root"
if [ ! -f build/fuzz/build.ninja ]; then # ninja itself configures again when that is needed
  cmake --preset fuzz >build-fuzz.log 2>&1 || { cat build-fuzz.log; rm build-fuzz.log; exit 1; }
  rm build-fuzz.log
fi
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}" >build/fuzz/build.log 2>&1 || { tail -n 50 build/fuzz/build.log; exit 1; }
[ "$seconds" != 0 ] || exit 0
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  # shellcheck disable=SC2086  # the pattern is meant to expand
  cp ${seeds[$target]} "$corpus"
  echo "fuzz $target: $seconds s"
  # Leaks are the business of the third-party parsers; 64 KiB is room for any of the seeds.
  build/fuzz/bin/fuzz_"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 -seed=1 \
    -detect_leaks=0 -artifact_prefix=build/fuzz/ -print_final_stats=1 "$corpus" >build/fuzz/"$target".log 2>&1 ||
    { tail -n 60 build/fuzz/"$target".log; echo "fuzz $target: FAILED, the input is in build/fuzz"; exit 1; }
  sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p' build/fuzz/"$target".log
done
echo "fuzz: ok"
