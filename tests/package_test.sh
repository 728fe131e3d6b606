#!/usr/bin/env bash
# The installed package: a program of a user's own finds it, builds against it, and runs, whatever its own
# instruction-set flags are.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR= cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
examples=(01_first_mechanism 02_load_a_robot 03_own_joint_type)
run() { # run FOLDER: the examples in it
  "$1/01_first_mechanism" && "$1/02_load_a_robot" "$root/models/quadruped.urdf" && "$1/03_own_joint_type"
}

# As a project of a user's own builds them.
{ cmake -S "$root/examples" -B "$work/plain" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" &&
  cmake --build "$work/plain"; } >"$work/plain.log" 2>&1 || { cat "$work/plain.log"; exit 1; }
run "$work/plain" >"$work/plain.out"

library=$(dirname "$(find "$work/prefix" -name libamble.so)")
try() { # try NAME FLAGS: the same with these flags; by hand, which spares a second project
  local example
  mkdir "$work/$1"
  for example in "${examples[@]}"; do
    # shellcheck disable=SC2086  # the flags are words
    g++ -std=c++20 -O1 $2 -I"$work/prefix/include" -isystem /usr/include/eigen3 "$root/examples/$example.cpp" \
      -o "$work/$1/$example" -L"$library" -lamble -Wl,-rpath,"$library"
  done
  run "$work/$1" >"$work/$1.out"
}
if grep -q avx2 /proc/cpuinfo; then
  try avx2 "-mavx2 -mfma"
  diff "$work/plain.out" "$work/avx2.out" # printed to six digits: fused multiply-adds may change the last bits
fi
if grep -q avx512f /proc/cpuinfo; then try avx512 "-mavx512f -mfma"; fi
"$work/prefix/bin/amble" inspect "$root/models/quadruped.urdf" >/dev/null
"$work/prefix/bin/amble" bench --robot arm7 --seconds 0.001 2>/dev/null | grep MuJoCo >/dev/null # it finds its modules

# What is installed is what users reach: nothing of the tests, nor what only the library or a command includes.
[[ -e $work/prefix/include/amble/version.hpp ]]
for inside in io/mjcf recording/hdf5 verify base/test; do
  [[ ! -e $work/prefix/include/amble/$inside ]] || { echo "installed, and should not be: $inside"; exit 1; }
done

# A project that has Amble among its own sources: configured, which settles that the targets are there.
mkdir "$work/around"
echo 'int main() {}' >"$work/around/main.cpp"
cat >"$work/around/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.22)
project(around LANGUAGES CXX)
add_subdirectory("$root" amble EXCLUDE_FROM_ALL)
add_executable(around main.cpp)
target_link_libraries(around PRIVATE amble::amble)
if(CMAKE_BUILD_TYPE OR TARGET amble-cli OR NOT TARGET Eigen3::Eigen)
  message(FATAL_ERROR "the build type was changed, the program comes along, or Eigen is not seen")
endif()
PROJECT
cmake -S "$work/around" -B "$work/around/build" -G Ninja >"$work/around.log" 2>&1 || { cat "$work/around.log"; exit 1; }

# An empty element of a search path is the current directory: whoever leaves a library there would have it loaded.
while IFS= read -r -d '' file; do
  paths=$(readelf -d "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/:\2:/p')
  [[ $paths != *::* ]] || { echo "$file: an empty element in its library search path $paths"; exit 1; }
done < <(find "$build"/{bin,lib,python} "$work/prefix" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
echo "package: ok"
