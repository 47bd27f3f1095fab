#!/usr/bin/env bash
# Proves the coders on other versions of Hadoop: the tests of hdfs-codec, and clusters of that version (NameNode and DataNodes in one JVM) that
# write, lose DataNodes, read and reconstruct, beside Hadoop's own coders. Takes some four minutes a version.
#
#   it/hadoop-matrix.sh                 the versions that the README names
#   it/hadoop-matrix.sh 3.4.1 3.4.2     these
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

clusters=MixedCodersIT,DegradedReadIT,ReconstructionIT
status=0
for version in ${*:-3.3.6 3.4.2 3.5.0}; do
    log=$(mktemp "${TMPDIR:-/tmp}/hadoop-$version-XXXXXX.log")
    profile=
    [[ $version != 3.3.* ]] || profile=-Phadoop-3.3
    # Older versions bring older libraries beside newer ones, which the build refuses for ours.
    if ./mvnw -B -Dversion.hadoop="$version" -Denforcer.skip -pl hdfs-codec test >"$log" 2>&1 &&
        ./mvnw -B -Dversion.hadoop="$version" -Denforcer.skip $profile -pl it -am verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false \
            -Dit.spark.skip -Dit.test=$clusters >>"$log" 2>&1 && tests=$(it/passed-tests.sh "$log" $clusters 2>>"$log"); then
        echo "Hadoop $version: $tests tests, none failed ($(java -version 2>&1 | head -1))"
        rm "$log"
    else
        status=1
        echo "Hadoop $version: FAILED, see $log" >&2
        grep -E '^\[ERROR\]|<<< (FAILURE|ERROR)!|^no test of' "$log" | head -10 >&2 || true
    fi
done
exit $status
