#!/usr/bin/env bash
# What the launcher ./amble promises, tried on a copy of it in a directory of its own, with stand-ins for the
# package tools, cmake and ctest. No network, no root, no real build: PATH holds only the stand-ins and a few
# links to basic tools, so a tool that is not listed here does not exist for the launcher.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset AMBLE_BUILD_DIR AMBLE_SKIP_PACKAGES PYTHONPATH PYTHONHOME
bash=$(command -v bash)

repo="$work/a repository" # with a space, because users have those
bin=$work/bin
calls=$work/calls    # one line per call of a stand-in
user=$work/elsewhere # where the user stands
build=$repo/build/release

mkdir "$work/basic"
for tool in bash env dirname readlink mkdir rm cat grep sed awk sort tail tee flock nproc sleep chmod script cmp; do
  ln -s "$(command -v $tool)" "$work/basic"
done

stand_in() { # stand_in NAME <SCRIPT: a tool that records its call, then runs the script
  { printf '#!%s\necho "%s $*" >>"%s"\n' "$bash" "$1" "$calls"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

fresh() { # a new repository, as root, with every package installed
  rm -rf "$repo" "$bin" "$user" "$work"/*-fails "$work"/*-slow
  mkdir -p "$repo/apps/amble" "$bin" "$user"
  cp "$source_dir/amble" "$source_dir/packages.txt" "$repo"
  cp "$source_dir/apps/amble/CMakeLists.txt" "$repo/apps/amble"
  echo 0 >"$work/uid"
  : >"$work/absent"
  : >"$work/path"
  : >"$calls"
  stand_in id <<<"cat '$work/uid'"
  stand_in apt-get </dev/null
  stand_in dpkg-query <<'SCRIPT'
for name in "${@:4}"; do grep -qx -- "$name" "$STAGE/absent" || echo "installed $name"; done
SCRIPT
  stand_in cmake <<'SCRIPT'
cat # a build step that reads stdin must not take the command's
if [[ $1 == -S ]]; then
  echo "-- configuring"
  [[ -e $4/CMakeCache.txt ]] || echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$4/CMakeCache.txt"
  for flag; do
    case $flag in -DAMBLE_*=ON) flag=${flag#-D}; echo "${flag/=/:BOOL=}" >>"$4/CMakeCache.txt" ;; esac
  done
  [[ ! -e $STAGE/configure-fails ]] || { echo "CMake Error: no such library"; exit 1; }
  : >"$4/build.ninja"
elif [[ $* == *" -n" ]]; then
  if [[ -e $2/built ]]; then echo "ninja: no work to do."; else echo "[1/1] Building"; fi
else
  trap 'exit 1' INT # ninja does not die of a signal either, it exits
  [[ ! -e $STAGE/build-is-slow ]] || sleep 0.3
  if [[ -e $STAGE/build-fails ]]; then
    printf '%s\n' "[1/9] Building" "FAILED: thing.o" "thing.cpp:1: error: no such thing"
    exit 1
  fi
  mkdir -p "$2/bin"
  printf '#!%s\necho "in $PWD: $*"; cat; echo "${PATH%%%%:*}" >"$STAGE/path"\n' "$BASH" >"$2/bin/amble"
  chmod +x "$2/bin/amble"
  : >"$2/built"
fi
SCRIPT
  stand_in ctest <<'SCRIPT'
while (($#)); do [[ $1 != -O ]] || log=$2; shift; done
echo "PYTHONPATH=$PYTHONPATH"
cat "$STAGE/ctest-says" >"$log"
exit "$(cat "$STAGE/ctest-exits")"
SCRIPT
  printf '%s\n' '1/5 Test #1: a ...   Passed' '2/5 Test  #2: b ...***Skipped   0.1 sec' \
    '80% tests passed, 0 tests failed out of 5' >"$work/ctest-says"
  echo 0 >"$work/ctest-exits"
}

from_elsewhere() { (cd "$user" && PATH=${first_on_path:+$first_on_path:}$bin:$work/basic AMBLE_TOOLS=$bin STAGE=$work exec "$@"); }

amble() { # runs the launcher; leaves $status, $out, $err
  status=0
  from_elsewhere "$repo/amble" "$@" >"$work/out" 2>"$work/err" <<<"input" || status=$?
  out=$(<"$work/out") err=$(<"$work/err")
}

failures=0 count=0
wrong() {
  printf 'FAILED: %s: %s\n' "$fact" "$1"
  printf '  %s\n' "status $status" "stdout: $out" "stderr: $err"
  ((++failures))
}
status_is() { [[ $status == "$1" ]] || wrong "exit $1 expected"; }
says() { [[ $err == *"$1"* ]] || wrong "stderr should have '$1'"; }
prints() { [[ $out == *"$1"* ]] || wrong "stdout should have '$1'"; }
is_quiet() { [[ -z $err ]] || wrong "stderr should be empty"; }
called() { grep -q -- "$1" "$calls" || wrong "no call of '$1' in: $(<"$calls")"; }
not_called() { ! grep -q -- "$1" "$calls" || wrong "call of '$1' in: $(<"$calls")"; }
one_error() { # the error is one line, and the last one
  [[ $(grep -c '^amble: error: ' "$work/err") == 1 && $(tail -n 1 "$work/err") == "amble: error: "* ]] ||
    wrong "one closing error line expected"
}
fact() { fact=$1; ((++count)); fresh; }

fact "a first start configures, builds and runs the command where the user stands"
amble walk --set "name=two words"
status_is 0
[[ $out == "in $user: walk --set name=two words"$'\n'input ]] || wrong "stdout and stdin belong to the command"
says "amble: building (1 steps on "
says "amble: building: 0 %, about "
called "cmake -S $repo -B $build --preset release"
called "-DPython3_EXECUTABLE=/usr/bin/python3"
called "--target amble-cli amble-walk$"
not_called "AMBLE_BUILD_TESTS"

fact "a second start with nothing to do is quiet, asks for packages once and touches no network"
amble walk
: >"$calls"
amble walk
status_is 0
is_quiet
not_called "apt-get"
[[ $(grep -c ^dpkg-query "$calls") == 1 ]] || wrong "one dpkg-query expected"
[[ $(grep -c ^cmake "$calls") == 1 ]] || wrong "one call of cmake expected"

fact "a foreign cmake first on PATH is not used, and the command still sees the user's PATH"
printf '#!%s\nexit 1\n' "$bash" >"$user/cmake"
chmod +x "$user/cmake"
first_on_path=$user amble walk
status_is 0
[[ $(<"$work/path") == "$user" ]] || wrong "the command should find $user first on its PATH"

fact "missing packages are installed by name, after one update, without asking or recommends"
printf '%s\n' libfmt-dev ccache libgtest-dev >"$work/absent"
amble walk
status_is 0
says "amble: installing missing packages (2): ccache libfmt-dev"
called "apt-get -q -y .* update"
called "apt-get -q -y .* install --no-install-recommends ccache libfmt-dev$"
[[ $(grep -c apt-get "$calls") == 2 ]] || wrong "two calls of apt-get expected"

fact "progress is told from the first second, by steps done and those that apt announces"
echo ccache >"$work/absent"
stand_in apt-get <<'SCRIPT'
[[ "$*" != *" update"* ]] || exit 0
printf '%s\n' "0 upgraded, 1 newly installed, 0 to remove" "Get:1 ccache"
sleep 0.1
printf '%s\n' "Unpacking ccache" "Setting up ccache"
SCRIPT
status=0
from_elsewhere script -qec "'$repo/amble' walk" /dev/null >"$work/out" 2>&1 <<<"y" || status=$?
out=$(<"$work/out") err=''
status_is 0
prints "go ahead? [Y/n]"
prints "installing packages: 33 %, about "
prints "installing packages: 100 %, about 0 s left"

fact "on a terminal, --yes answers beforehand"
echo ccache >"$work/absent"
status=0
from_elsewhere script -qec "'$repo/amble' --yes walk" /dev/null >"$work/out" 2>&1 <<<"" || status=$?
out=$(<"$work/out") err=''
status_is 0
[[ $out != *"go ahead?"* ]] || wrong "a question that was answered"
called "apt-get .* install"

fact "on a terminal, who says no gets no packages"
echo ccache >"$work/absent"
status=0
from_elsewhere script -qec "'$repo/amble' walk" /dev/null >"$work/out" 2>&1 <<<"n" || status=$?
out=$(<"$work/out") err=''
status_is 1
prints "error: not installed; by hand: apt-get install ccache"
not_called "apt-get"

fact "a package that cannot be installed is named, with what apt says of it"
echo libsdformat-dev >"$work/absent"
stand_in apt-get <<<'[[ "$*" == *" update"* ]] || { echo "E: Unable to locate package libsdformat-dev"; exit 100; }'
amble walk
status_is 1
says "E: Unable to locate package libsdformat-dev"
says "amble: error: could not install these packages: libsdformat-dev;"
one_error
not_called "^cmake"

fact "a failing update does not stop an install that works"
echo ccache >"$work/absent"
stand_in apt-get <<<'[[ "$*" != *" update"* ]] || exit 100'
amble walk
status_is 0

fact "who is neither root nor has sudo is told what root has to run"
echo ccache >"$work/absent"
echo 1000 >"$work/uid"
amble walk
status_is 1
says "as root run: apt-get install ccache"
one_error
not_called "apt-get"

fact "who is not root installs through sudo"
echo ccache >"$work/absent"
echo 1000 >"$work/uid"
stand_in sudo <<<'"$@"'
amble walk
status_is 0
called "sudo env DEBIAN_FRONTEND=noninteractive apt-get .* install"

fact "a system without apt-get is told which packages are missing"
echo ccache >"$work/absent"
rm "$bin/apt-get"
amble walk
status_is 1
says "no apt-get to install them: ccache"
one_error

fact "a system without Debian packages can leave them to its user"
rm "$bin/dpkg-query" "$bin/apt-get"
amble walk
status_is 1
says "libeigen3-dev"
says "AMBLE_SKIP_PACKAGES=1"
one_error
AMBLE_SKIP_PACKAGES=1 amble walk
status_is 0

fact "a build failure shows the compiler's words and exits 1"
: >"$work/build-fails"
amble walk
status_is 1
says "thing.cpp:1: error: no such thing"
says "amble: error: the build failed; full output: $build/launcher.log"
one_error
[[ -z $out ]] || wrong "stdout should be empty"

fact "a configuration failure is shown, and the next start configures again"
amble walk
: >"$work/configure-fails"
amble test
status_is 1
says "CMake Error: no such library"
one_error
rm "$work/configure-fails"
: >"$calls"
amble test
status_is 0
called "cmake -S"

fact "test builds all with tests and Python switched on, counts, and leaves the long ones out"
echo libgtest-dev >"$work/absent"
amble test
status_is 0
says "installing missing packages (1): libgtest-dev"
called "cmake -S .*-DAMBLE_BUILD_TESTS=ON -DAMBLE_BUILD_PYTHON=ON"
called "--target all"
called "ctest --test-dir $build --output-on-failure --no-tests=error .*-LE ^long"
prints "PYTHONPATH=$build/python"
[[ $(tail -n 1 "$work/out") =~ ^"amble test: 4 passed, 0 failed, 1 skipped, "[0-9]+" s"$ ]] || wrong "closing count"

fact "what test has switched on stays on, and no later start configures again"
amble test
: >"$calls"
amble walk
amble test
not_called "cmake -S"
rm "$build/build.ninja"
amble walk
called "cmake -S .*-DAMBLE_BUILD_TESTS=ON -DAMBLE_BUILD_PYTHON=ON"

fact "python runs Debian's own with the package on its path, and test later adds to it"
report='import os, sys; print(sys.executable, os.environ["PYTHONPATH"], sys.argv[1:])'
PYTHONHOME=/nowhere amble python -c "$report" "a b"
status_is 0
prints "/usr/bin/python3 $build/python ['a b']"
called "cmake -S .*-DAMBLE_BUILD_PYTHON=ON"
called "--target amble-python"
not_called "AMBLE_BUILD_TESTS"
amble test
called "cmake -S .*-DAMBLE_BUILD_TESTS=ON -DAMBLE_BUILD_PYTHON=ON"

fact "build switches on what its targets need, and only that"
amble build
status_is 0
called "--target all"
not_called "AMBLE_BUILD_PYTHON"
amble build amble-python
status_is 0
called "cmake -S .*-DAMBLE_BUILD_PYTHON=ON"
called "--target amble-python"
not_called "AMBLE_BUILD_TESTS"
echo libgtest-dev >"$work/absent"
amble build amble_io_test
status_is 0
called "apt-get .* install .*libgtest-dev"
called "cmake -S .*-DAMBLE_BUILD_TESTS=ON -DAMBLE_BUILD_PYTHON=ON"

fact "a package that another one provides counts as installed"
stand_in dpkg-query <<'SCRIPT'
for name in "${@:4}"; do
  [[ $name != nodejs ]] || echo "installed nodejs nodejs-dev, npm"
  [[ $name == nodejs || $name == npm ]] || echo "installed $name"
done
SCRIPT
amble test
status_is 0
not_called apt-get

fact "build installs the packages of the Python package before it is built"
echo pybind11-dev >"$work/absent"
amble build amble-python amble-cli
status_is 0
says "installing missing packages (1): pybind11-dev"
called "--target amble-python amble-cli"

fact "docs installs its own package, makes both references and says where they are"
echo doxygen >"$work/absent"
stand_in doxygen <<'SCRIPT'
[[ $1 == docs/Doxyfile && -d $AMBLE_DOCS ]]
SCRIPT
amble docs
says "installing missing packages (1): doxygen"
called "--target amble-python"
called "doxygen docs/Doxyfile"
amble docs --html
status_is 2
says "docs: unexpected argument '--html'"

fact "test passes on its choices"
amble test --long --label 'geometry' -- -R name
called "ctest .* -L geometry -R name$"
not_called "ctest .*-LE"
amble test --label=long
called "ctest .* -L long$"

fact "test --peers runs the comparisons with other programs and nothing else"
mkdir -p "$repo/tests" "$build/peers"
cp "$source_dir/tests/peers.txt" "$repo/tests"
cp "$source_dir/tests/peers.txt" "$build/peers" # fetched before
amble test --peers
status_is 0
called "ctest .* -L peers"

fact "a failing test and an empty run fail, with their counts"
echo 8 >"$work/ctest-exits"
echo '60% tests passed, 2 tests failed out of 5' >"$work/ctest-says"
amble test
status_is 1
prints "amble test: 3 passed, 2 failed, "
: >"$work/ctest-says"
amble test
status_is 1
prints "amble test: 0 passed, 0 failed, "

fact "help of test and build needs no build, wrong use exits 2"
amble test --help
status_is 0
prints "usage: ./amble test"
amble build --help
status_is 0
prints "usage: ./amble build"
for arguments in "test --nonsense" "test --label" "test name" "build --nonsense"; do
  # shellcheck disable=SC2086 # words on purpose
  amble $arguments
  status_is 2
  one_error
done
not_called "^cmake"

fact "a command needs its own module only, shell completion all of them"
amble --limit xml_depth=10 inspect walk
called "--target amble-cli amble-inspect$"
amble completion
called "--target amble-commands"

fact "help of the program is the program's, and needs no module"
amble --help
prints "in $user: --help"
called "--target amble-cli$"
not_called "amble-[^c]"
amble
prints "in $user: "

until_building() { until grep -q -- "--target amble-cli amble-walk$" "$calls"; do sleep 0.02; done; }

fact "a start during another's build waits for it and builds nothing twice"
: >"$work/build-is-slow"
from_elsewhere "$repo/amble" walk </dev/null >/dev/null 2>&1 &
until_building
amble inspect
wait
status_is 0
says "waiting for another amble"
[[ $(grep -c -- "--target amble-cli amble-walk$" "$calls") == 1 ]] || wrong "one build expected"

fact "a complete build of somebody else is used without writing to it; one that is not is refused"
amble walk
chmod -R a-w "$build"
# root writes wherever it likes, so a stand-in for mkdir refuses
stand_in mkdir <<<'exit 1'
: >"$calls"
amble walk
status_is 0
is_quiet
not_called "cmake -S"
chmod -R u+w "$build"
rm "$build/built"
amble walk
status_is 1
says "is not complete, and only its owner can write to it; set AMBLE_BUILD_DIR"
one_error
rm -rf "$build"
amble walk
status_is 1
says "cannot write to $build; set AMBLE_BUILD_DIR"
one_error

fact "python runs that of an activated environment where the module works in it, else says why not"
amble python -c pass
environment=$work/environment
mkdir -p "$environment/bin"
in_environment() { # in_environment TAG NUMPY
  printf '#!%s\n[[ $2 != *cache_tag* ]] || { echo %s; echo %s; exit; }\necho "the environment ran $*"\n' "$bash" "$1" "$2" >"$environment/bin/python"
  chmod +x "$environment/bin/python"
  VIRTUAL_ENV=$environment amble python -c 'print("ran")'
}
tag=$(/usr/bin/python3 -c 'import sys; print(sys.implementation.cache_tag)')
in_environment "$tag" 1.26.4
status_is 0
prints "the environment ran -c print"
in_environment cpython-39 1.26.4
prints "ran"
says "using /usr/bin/python3 instead of the environment $environment: it has cpython-39, and this build is for $tag"
in_environment "$tag" 2.1.0
says "it has NumPy 2.1.0, and this build needs NumPy 1"
in_environment "$tag" none
says "it has no NumPy"
rm "$environment/bin/python"
VIRTUAL_ENV=$environment amble python -c 'print("ran")'
says "it has no working Python"
prints "ran"

fact "Ctrl-C during a build exits 130, and the next start goes on"
: >"$work/build-is-slow"
set -m # a process group of its own, as a terminal gives to a command
from_elsewhere env --default-signal=INT "$repo/amble" walk </dev/null >/dev/null 2>&1 &
set +m
until_building
kill -INT -- -$!
status=0
wait $! || status=$?
status_is 130
rm "$work/build-is-slow"
amble walk
status_is 0

fact "a copied repository does not trip over the cache of the original"
amble walk
sed -i 's|=.*repository|=/somewhere/else|' "$build/CMakeCache.txt"
: >"$calls"
amble walk
status_is 0
called "cmake -S $repo "
grep -q "=$repo$" "$build/CMakeCache.txt" || wrong "a new cache expected"

fact "a link to the launcher works"
ln -s "$repo/amble" "$work/link"
status=0 err='' out=$(from_elsewhere "$work/link" walk 2>/dev/null </dev/null) || status=$?
status_is 0
prints "in $user: walk"
called "cmake -S $repo "

fact "a place that cannot be written to is named"
AMBLE_BUILD_DIR=$repo/packages.txt/build amble walk
status_is 1
says "amble: error: cannot write to $repo/packages.txt/build"
one_error

echo "$count facts, $failures failures"
((failures == 0))
