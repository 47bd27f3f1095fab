#!/usr/bin/env bash
# Fuzzes the parsers of files and requests with Jazzer, one after the other; the profile `fuzz` runs it (docs/security.md):
#
#   fuzz.sh CLASS_PATH SECONDS [TARGET ...]     simple names, such as OnnxFuzz; all by default
#
# Starts from the inputs in src/test/fuzz, keeps what it learns and finds in target/fuzz, and ends with 1 if it has found something.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

class_path=$1 seconds=$2
shift 2
targets=()
for folder in src/test/fuzz/*/; do
    target=$(basename "$folder")
    [ $# = 0 ] || [[ " $* " == *" ${target##*.} "* ]] || continue
    targets+=("$target")
done
[ ${#targets[@]} -gt 0 ] || {
    echo "fuzz: no folder of src/test/fuzz is for a target named $*" >&2
    exit 1
}

found=0
for target in "${targets[@]}"; do
    kept=target/fuzz/$target
    mkdir -p "$kept/corpus"
    echo "fuzz: $target, $seconds s, log $PWD/$kept/log"
    if "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx1g --add-modules=jdk.incubator.vector -cp "$class_path" com.code_intelligence.jazzer.Jazzer \
        --target_class="$target" --instrumentation_includes='io.paritas.**' --reproducer_path="$kept" \
        -artifact_prefix="$kept/" -max_total_time="$seconds" -max_len=4096 -timeout=60 -rss_limit_mb=3000 \
        "$kept/corpus" "src/test/fuzz/$target" >"$kept/log" 2>&1; then
        sed -n 's/^Done \([0-9]* runs\).*/fuzz: \1, nothing found/p' "$kept/log"
    else
        found=1
        grep -m 1 -A 6 -E '^== Java Exception|ERROR' "$kept/log" || tail -5 "$kept/log"
        echo "fuzz: FOUND in $target: the input is $(ls "$kept"/{crash,oom,timeout}-* 2>/dev/null | tail -1)"
    fi
done
exit $found
