#!/bin/sh
# manual.sh PROGRAM FOLDER: the manual pages, from the help texts of the program and its commands.
set -eu
help2man --no-info --name 'model, simulate, analyse and control legged robots' "$1" >"$2/amble.1"
"$1" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
  help2man --no-info --help-option="$command --help" --name "$("$1" "$command" --help | head -n 1)" "$1" |
    sed "1s/^\.TH [^ ]*/.TH AMBLE-$(echo "$command" | tr "[:lower:]" "[:upper:]")/" >"$2/amble-$command.1"
done
