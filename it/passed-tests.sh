#!/usr/bin/env bash
# passed-tests.sh LOG CLASS,...   prints how many tests have passed by the log of a Maven build in which none failed; for the scripts beside it.
# Fails if there are none, or none of one of these classes: Maven passes over names that it does not find.
set -euo pipefail
for class in ${2//,/ }; do
    grep -q -E "Tests run: [1-9].* in .*\.$class\$" "$1" || { echo "no test of $class ran" >&2; exit 1; }
done
sed -n 's/^\[\(INFO\|WARNING\)\] Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: \([0-9]*\)$/\2 \3/p' "$1" |
    awk '{n += $1 - $2} END {print n + 0; exit n == 0}'
