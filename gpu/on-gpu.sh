#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# on-gpu.sh pack FOLDER      on the machine that builds: everything that the tests and the benchmarks need, with a Java of its own,
#                            also as FOLDER.tar.gz, after ./mvnw -pl gpu -am test-compile
#                            (with CUDF=true and -P cudf: what `cudf` needs, too, 337 MB more)
# on-gpu.sh all|facts|test|engine|cudf|bench|gemms|networks|few|torch|torch-products|memcheck|racecheck|...-mma [...]   on a machine with a GPU, in a checkout or in that folder
#   all        facts, test, racecheck of the classes that take seconds, memcheck, engine-mma, bench, gemms, gemms-mma, networks, networks-mma, few,
#              torch, torch-products: 27 minutes at most, of which the tests have the first 9. Each part has 120 s at most, memcheck 300, or
#              PART_SECONDS; what is cut off has said how far it came. Output and CSV go to the folder RESULTS (./on-gpu-results); ends with 1
#              if a part failed, not if one took too long
#   facts      the GPU, its driver, and Java
#   engine     the tests of whole networks, alone
#   test       the tests of the module, on the GPU; GPU_REQUIRE=false lets the emulator do, for a try of this script
#   cudf       the tests of columns and memory of cuDF, built with -P cudf, on the GPU
#   bench      KernelBench; more arguments are sizes of a unit in MiB
#   gemms      GemmBenchmark: what checks of GEMMs cost, as CSV; more arguments are lists of layers
#   networks   NetworkBenchmark: how fast networks are, and what checks of them cost, as CSV; more arguments are images and networks
#   few        NetworkBenchmark with one image, first without and then with split-K, as CSV
#   test-mma, engine-mma, gemms-mma, networks-mma   the same without wgmma, where an H100 or H200 uses it
#   torch      the same networks by PyTorch with cuDNN, as CSV; one more argument is images
#   torch-products   the products of a CSV of gemms by cuBLAS, as CSV
#   memcheck   the tests under compute-sanitizer (CUDA toolkit); more arguments are classes below io.paritas.gpu. Likewise racecheck
# Needs Java 17 or newer (JAVA_HOME, the packed one, or java), and for the tests a folder with what `pack` makes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repository=${MAVEN_REPOSITORY:-${HOME:-}/.m2/repository}

# What is not ours: the same versions as in the poms.
libraries() {
    version() { sed -n "s/.*<version.$1>\(.*\)<\/version.$1>.*/\1/p" "$here/../pom.xml"; }
    jcuda=$(version jcuda)
    junit=$(version junit)
    echo "$repository/org/jcuda/jcuda/$jcuda/jcuda-$jcuda.jar"
    echo "$repository/org/jcuda/jcuda-natives/$jcuda/jcuda-natives-$jcuda-linux-x86_64.jar"
    echo "$repository/org/ow2/asm/asm/$(version asm)/asm-$(version asm).jar"
    echo "$repository/org/assertj/assertj-core/$(version assertj)/assertj-core-$(version assertj).jar"
    find "$repository/net/bytebuddy/byte-buddy" -name 'byte-buddy-[0-9]*.jar' ! -name '*sources*' | sort | tail -n 1
    console=$repository/org/junit/platform/junit-platform-console-standalone/1.${junit#5.}/junit-platform-console-standalone-1.${junit#5.}.jar
    # JUnit's launcher is the one thing that the build itself does not need.
    [ -f "$console" ] || (cd "$here/.." && ./mvnw -q -N dependency:get -Dartifact=org.junit.platform:junit-platform-console-standalone:1."${junit#5.}") >&2
    echo "$console"
    # What reads ONNX, and runs it beside us.
    echo "$repository/com/microsoft/onnxruntime/onnxruntime/$(version onnxruntime)/onnxruntime-$(version onnxruntime).jar"
    echo "$repository/org/tribuo/tribuo-util-onnx/$(version tribuo)/tribuo-util-onnx-$(version tribuo).jar"
    find "$repository/com/google/protobuf/protobuf-java" -name 'protobuf-java-[0-9]*.jar' ! -name '*sources*' | sort | tail -n 1
    # Protection plans are JSON; the annotations have a version without its last number.
    jackson=$(version jackson)
    for part in core databind; do echo "$repository/com/fasterxml/jackson/core/jackson-$part/$jackson/jackson-$part-$jackson.jar"; done
    echo "$repository/com/fasterxml/jackson/core/jackson-annotations/${jackson%.*}/jackson-annotations-${jackson%.*}.jar"
    echo "$repository/org/slf4j/slf4j-api/$(version slf4j)/slf4j-api-$(version slf4j).jar"
    if [ "${CUDF:-false}" = true ]; then
        echo "$repository/ai/rapids/cudf/$(version cudf)/cudf-$(version cudf)-cuda13.jar"
    fi
}

# Ours: this module's, and those of the modules that it knows.
classes() {
    for module in . ../hdfs-codec ../spark-inference; do
        echo "$here/$module/target/test-classes"
        echo "$here/$module/target/classes"
    done
}

class_path() {
    if [ -d "$here/lib" ]; then
        echo "$here/classes:$(echo "$here"/lib/*.jar | tr ' ' ':')"
    else
        echo "$(classes | paste -sd: -):$(libraries | paste -sd: -)"
    fi
}

java=java
[ ! -x "$here/java/bin/java" ] || java=$here/java/bin/java
[ -z "${JAVA_HOME:-}" ] || java=$JAVA_HOME/bin/java

# A Java with the modules that the tests and benchmarks use. It has no jdk.management, as many trimmed ones.
trimmed_java() {
    "$(dirname "$(readlink -f "$(command -v "$java")")")/jlink" --output "$1" --compress=2 --strip-java-debug-attributes \
        --no-header-files --no-man-pages --add-modules java.logging,java.management,java.xml,jdk.incubator.vector,jdk.unsupported
}

# ONNX Runtime has libraries for all systems in its jar, of which one is used here.
without_other_systems() {
    command -v zip >/dev/null || return 0
    zip -q -d "$1" 'ai/onnxruntime/native/linux-aarch64/*' 'ai/onnxruntime/native/osx*' 'ai/onnxruntime/native/win*' || true
}

# Runs a part of `all`, as a program of its own, and says how it ended.
part() {
    name=$1
    limit=120
    [ "$name" != memcheck ] || limit=300
    limit=${PART_SECONDS:-$limit}
    end=0
    began=$(date +%s)
    timeout -k 10 "$limit" sh "$0" "$@" >"$results/$name.$suffix" 2>"$results/$name.log" &
    group=$! # timeout makes itself the leader of a group of processes
    wait "$group" || end=$?
    # What a part leaves behind would use the GPU beside the next one.
    kill -s KILL -- "-$group" 2>/dev/null || true
    took=$(($(date +%s) - began))
    # What is killed before its time, for memory, say, is not late.
    if [ "$end" -eq 0 ]; then
        how="passed in $took s"
    elif { [ "$end" -eq 124 ] || [ "$end" -eq 137 ]; } && [ "$took" -ge "$limit" ]; then
        how="not finished in $limit s"
    else
        how="failed ($end) after $took s, see $results/$name.log"
        failed=1
    fi
    echo "$name: $how" | tee -a "$results/summary.txt"
}

run() {
    cd "$here" # tests read files of the module
    "$@" "$java" -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector \
        -Dgpu.require="${GPU_REQUIRE:-true}" -Dio.paritas.gpu.wgmma="${WGMMA:-true}" \
        -Dio.paritas.gpu.splitK="${SPLIT_K:-true}" -cp "$(class_path)" $program
}

launcher="org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=testfeed"
tests="$launcher --select-package io.paritas.gpu"

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
pack)
    folder=$1
    mkdir -p "$folder/classes" "$folder/lib" "$folder/src/main" "$folder/src/test"
    classes | while read -r folder_of_classes; do
        for services in "$folder_of_classes"/META-INF/services/*; do
            [ -f "$services" ] || continue
            mkdir -p "$folder/classes/META-INF/services"
            cat "$services" >>"$folder/classes/META-INF/services/$(basename "$services").all"
        done
        cp -r "$folder_of_classes"/. "$folder/classes"
    done
    # Modules may provide the same service.
    for services in "$folder"/classes/META-INF/services/*.all; do mv "$services" "${services%.all}"; done
    libraries | while read -r jar; do cp "$jar" "$folder/lib"; done
    without_other_systems "$(echo "$folder"/lib/onnxruntime-*.jar)"
    rm -rf "$folder/java"
    trimmed_java "$folder/java"
    cp -r "$here/src/main/resources" "$folder/src/main"
    cp -r "$here/src/test/resources" "$folder/src/test"
    cp "$0" "$here/beside-torch.py" "$folder"
    tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
    du -sh "$folder" "$folder.tar.gz"
    ;;
all)
    results=${RESULTS:-./on-gpu-results}
    mkdir -p "$results"
    : >"$results/summary.txt"
    failed=0
    suffix=txt
    # What finds errors comes first, for those who have ten minutes.
    for each in facts test; do part "$each"; done
    if command -v compute-sanitizer >/dev/null; then
        part racecheck nn.NetworkLaunchesTest nn.ConvolutionTest nn.TileTest nn.SplitKTest
        part memcheck
    else
        echo "racecheck, memcheck: left out, there is no compute-sanitizer" | tee -a "$results/summary.txt"
    fi
    part engine-mma
    suffix=csv
    for each in bench gemms gemms-mma networks networks-mma few; do part "$each"; done
    if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
        part torch
        part torch-products "$results/gemms.csv"
    else
        echo "torch: left out, there is no PyTorch that finds a GPU" | tee -a "$results/summary.txt"
    fi
    exit "$failed"
    ;;
*-mma)
    WGMMA=false sh "$0" "${verb%-mma}" "$@"
    ;;
facts)
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv 2>&1 || true
    "$java" -version 2>&1 | head -n 1
    ;;
test)
    program="$tests --include-tag kernels --include-tag contract" run
    ;;
engine)
    program="$tests.network --include-tag kernels --include-tag contract" run
    ;;
cudf)
    CUDF=true
    program="$tests.cudf" run
    ;;
bench)
    program="io.paritas.gpu.erasure.KernelBench $*" run
    ;;
gemms)
    program="io.paritas.gpu.network.GemmBenchmark $*" run
    ;;
networks)
    program="io.paritas.gpu.network.NetworkBenchmark $*" run
    ;;
few)
    for split in false true; do
        echo "# io.paritas.gpu.splitK=$split"
        SPLIT_K=$split sh "$0" networks 1 lenet resnet18
    done
    ;;
torch)
    described=$(mktemp -d)
    trap 'rm -rf "$described"' EXIT
    program="io.paritas.gpu.network.NetworkBenchmark describe $described" run >&2
    python3 "$here/beside-torch.py" check "$described" >&2
    python3 "$here/beside-torch.py" networks "$described" "$@"
    ;;
torch-products)
    python3 "$here/beside-torch.py" products <"$1"
    ;;
memcheck | racecheck)
    # Tests provoke errors of calls on purpose, which memcheck would count.
    [ "$verb" = racecheck ] || options="--report-api-errors no"
    [ $# -eq 0 ] || tests="$launcher $(printf -- '--select-class io.paritas.gpu.%s ' "$@")"
    program="$tests --include-tag kernels" run compute-sanitizer --tool "$verb" ${options:-} --launch-timeout 600 --error-exitcode 2
    ;;
*)
    sed -n '3,23p' "$0" >&2
    exit 2
    ;;
esac
