#!/usr/bin/env bash
# graft.sh FOLDER: puts the libraries that the wheel FOLDER/raw/*.whl needs into it, with the tools of FOLDER/tools; the
# result is in FOLDER. Of libraries that do the same the smaller is taken, the reference BLAS, and HDF5's access to files in
# the cloud, which brings twenty libraries along, gets stand-ins that fail: Amble never calls it.
set -euo pipefail
folder=$(readlink -f "$1")
system=/usr/lib/$(gcc -print-multiarch)
small=$folder/small
mkdir -p "$small"

stand_in() { # stand_in LIBRARY VERSION: of what HDF5 wants of LIBRARY under names of this version
  local names
  names=$(nm -D "$hdf5" | sed -n "s/^ *U \(.*\)@$2\$/\1/p")
  # shellcheck disable=SC2086 # words
  printf 'void* %s(void) { return 0; }\n' $names >"$small/stand_in.c"
  printf '%s { global: *; };\n' "$2" >"$small/stand_in.map"
  gcc -shared -fPIC -w -fno-builtin "-Wl,-soname,$1" "-Wl,--version-script=$small/stand_in.map" -o "$small/$1" "$small/stand_in.c"
}

hdf5=$(find "$system" -name 'libhdf5_serial.so.*' -type l | head -n 1)
stand_in libcurl.so.4 CURL_OPENSSL_4
stand_in libcrypto.so.3 OPENSSL_3.0.0
PATH=$folder/tools/bin:$PATH auditwheel repair --zip-compression-level 9 -w "$folder" \
  --ldpaths "$small:$system/blas:$system/lapack:$system:/lib/$(gcc -print-multiarch):/usr/lib:/lib" "$folder"/raw/*.whl
