#!/usr/bin/env bash
# Fuzzes every reader of outside bytes:   fuzz/run.sh [SECONDS] [TARGET ...]
#
# SECONDS is the time of the whole run, shared by the targets (default: an hour; 0 only builds). A target is one file
# NAME_fuzz.cpp here, with its seeds in corpus/NAME and in the files that its line `// seeds: PATTERN ...` names, and with
# words of its format in dictionaries/NAME.dict.
exec /usr/bin/python3 "$(dirname "$0")/run.py" "$@"
