#!/usr/bin/env bash
# Proves the jar for Spark on other versions of Spark: its classes stay as they are, compiled for the version that the build uses. All tests of
# Spark's modules run, and clusters of that version whose executors are killed; not Spark Connect, whose jars are not complete on Maven Central
# for each version, nor YARN, which is that of the Hadoop of one version. Takes some half an hour a version, on the JDK that runs Maven.
#
#   it/spark-matrix.sh            the versions that the README names
#   it/spark-matrix.sh 4.1.3      these
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

everywhere=PlainSparkIT,LocalClusterIT,StandaloneClusterIT,LostExecutorsIT,LostPredictionsIT,KeptRowsIT,PredictionsInQueriesIT,LinearPredictionsIT,CascadePredictionsIT,ErasureCodedCheckpointIT,ParameterServersIT,ServingIT,StreamingPredictionsIT
status=0
for version in ${*:-4.0.4 4.1.3}; do
    clusters=$everywhere,CodedShuffleIT
    without=
    if [[ $version == 4.0.* ]]; then # shuffles are not coded there
        clusters=$everywhere
        without=',!io/paritas/spark/ec/shuffle/*'
    fi
    log=$(mktemp "${TMPDIR:-/tmp}/spark-$version-XXXXXX.log")
    # Older versions bring other libraries, which the build refuses.
    if ./mvnw -B -DskipTests test-compile >"$log" 2>&1 &&
        ./mvnw -B -Dversion.spark="$version" -Dmaven.main.skip -Denforcer.skip -Dit.connect.skip=true -Dit.yarn.skip=true -Dit.clusters.skip -Dit.others.skip -Dnext.java.skip=true -pl spark-ec,spark-inference,it -am verify \
            -Dtest='io/paritas/spark/**/*Test,io/paritas/inference/spark/**/*Test,io/paritas/inference/serving/**/*Test,io/paritas/inference/screen/**/*Test'"$without" \
            -Dit.test=$clusters -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false -Dmaven.test.failure.ignore=true >>"$log" 2>&1 &&
        ! grep -q -E '^\[ERROR\] .*<<< (FAILURE|ERROR)!' "$log" && tests=$(it/passed-tests.sh "$log" $clusters 2>>"$log"); then
        echo "Spark $version: $tests tests, none failed ($(java -version 2>&1 | head -1))"
        rm "$log"
    else
        status=1
        echo "Spark $version: FAILED, see $log" >&2
        grep -E '^\[ERROR\] .*(<<< (FAILURE|ERROR)!|COMPILATION|Failed to execute)|^no test of' "$log" | head -10 >&2 || true
    fi
done
exit $status
