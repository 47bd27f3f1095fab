#!/usr/bin/env bash
# Runs suites of Spark's own tests on the coded shuffle; the profile `spark-suites` runs it (docs/shuffle.md):
#
#   spark-suites.sh CLASS_PATH [SUITE ...]     names of classes; by default those of src/suites, and some of org.apache.spark.sql
#
# With PLAIN=1 in the environment they run on Spark's own shuffle, to tell who is to blame for a failure.
# The log of each suite and its failures are in target/suites. Ends with 1 if a test has failed that is not known to fail.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

# Two tests know how Spark's shuffle is made, three the JVM that their suite runs in, others the order of rows in it: docs/shuffle.md.
known='multiple simultaneous attempts for one task|shuffle checksum detect disk corruption'
known+='|Reuse the default parallelism in local shuffle read|SPARK-35650: |SPARK-48037: '
known+='|array_agg|collect functions|listagg function|any_value|last_value|SPARK-18004 '
class_path=$1
shift
coded=(-Dspark.shuffle.manager=io.paritas.spark.ec.shuffle.CodedShuffleManager -Dspark.plugins=io.paritas.spark.ParitasPlugin
    -Dspark.paritas.shuffle.minSize=0)
[ -z "${PLAIN:-}" ] || coded=()
[ $# -gt 0 ] || set -- io.paritas.spark.ec.suites.{Shuffle,Joins,OuterJoins,Aggregates,Adaptive}OnCodedFilesSuite org.apache.spark.DistributedSuite \
    org.apache.spark.sql.{JoinSuite,DataFrameJoinSuite,DataFrameAggregateSuite,DatasetAggregatorSuite} \
    org.apache.spark.sql.execution.{CoalesceShufflePartitionsSuite,ExchangeSuite,adaptive.AdaptiveQueryExecSuite} \
    org.apache.spark.sql.execution.joins.{Inner,Outer,Existence}JoinSuite

jvm=$(sed -n 's:.*<spark.jvm>\(.*\)</spark.jvm>.*:\1:p' ../pom.xml)
mkdir -p target/suites/home
# What Spark's build sets: executors of local-cluster take the class path from the environment.
export SPARK_HOME=$PWD/target/suites/home SPARK_TESTING=1 SPARK_SCALA_VERSION=2.13 SPARK_DIST_CLASSPATH=$class_path SPARK_LOCAL_IP=127.0.0.1
failed=0
for suite in "$@"; do
    folder=$PWD/target/suites/$suite
    rm -rf "$folder"
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    (cd "$folder" && "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx2g -Xss4m $jvm -Djava.io.tmpdir="$folder" -Dspark.testing=1 \
        -Dspark.test.home="$SPARK_HOME" -Dspark.ui.enabled=false -Dspark.master.rest.enabled=false \
        "${coded[@]}" -cp "$class_path" org.scalatest.tools.Runner -R . -oW -s "$suite" >log 2>&1) || true
    echo "$suite: $(grep -m 1 '^Tests: ' "$folder/log" || echo 'did not end')"
    grep -E '^- .*\*\*\* FAILED' "$folder/log" | sort -u || true
    grep -q '^Tests: ' "$folder/log" || failed=1
    ! grep -E '^- .*\*\*\* FAILED' "$folder/log" | grep -qvE "$known" || failed=1
done
exit $failed
