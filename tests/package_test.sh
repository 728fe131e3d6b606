#!/usr/bin/env bash
# The installed package: a program of a user's own finds it, builds against it, and runs, whatever its own
# instruction-set flags are.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR= cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
try() { # try NAME FLAGS: build the examples with these flags and run them
  local dir=$work/$1
  cmake -S "$root/examples" -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_FLAGS="$2" >"$dir.log" 2>&1 || { cat "$dir.log"; return 1; }
  cmake --build "$dir" >>"$dir.log" 2>&1 || { cat "$dir.log"; return 1; }
  "$dir/01_first_mechanism" >"$dir.out"
  "$dir/02_load_a_robot" "$root/models/quadruped.urdf" >>"$dir.out"
  "$dir/03_own_joint_type" >>"$dir.out"
}
try plain ""
if grep -q avx2 /proc/cpuinfo; then
  try avx2 "-mavx2 -mfma"
  diff "$work/plain.out" "$work/avx2.out" # printed to six digits: fused multiply-adds may change the last bits
fi
if grep -q avx512f /proc/cpuinfo; then try avx512 "-mavx512f -mfma"; fi
"$work/prefix/bin/amble" inspect "$root/models/quadruped.urdf" >/dev/null
"$work/prefix/bin/amble" bench --robot arm7 --seconds 0.001 2>/dev/null | grep MuJoCo >/dev/null # it finds its modules

# An empty element of a search path is the current directory: whoever leaves a library there would have it loaded.
while IFS= read -r -d '' file; do
  paths=$(readelf -d "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/:\2:/p')
  [[ $paths != *::* ]] || { echo "$file: an empty element in its library search path $paths"; exit 1; }
done < <(find "$build"/{bin,lib,python} "$work/prefix" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
echo "package: ok"
