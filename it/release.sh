#!/usr/bin/env bash
# Proves the distributions that `./mvnw -P release verify -DskipTests` made: unpacks them in a folder with a space in its name, and runs
# them as another user with an empty, read-only home: help, the commands on files, also on a full disk, without permission, interrupted and
# killed, the doctor, and both quickstarts. Takes about ten minutes; needs root for the other user, and 4 GB on the disk of /tmp.
#
#   it/release.sh               everything
#   it/release.sh files hdfs    only these of: jars files trouble models doctor hdfs spark
set -euo pipefail

checkout=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
parts=${*:-jars files trouble models doctor hdfs spark}

say() { echo "release: $*"; }

fail() {
    echo "release: FAILED: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || {
    say "skipped: it takes root to run the distribution as another user"
    exit 0
}

shopt -s nullglob
archives=("$checkout"/examples/target/paritas-*.tar.gz)
[ ${#archives[@]} = 3 ] || fail "examples/target must have 3 archives, it has ${#archives[@]}: ./mvnw -P release verify -DskipTests"

base=$(mktemp -d "/tmp/paritas release XXXXXX")
user=paritas-release-$$
useradd --system --no-create-home --home-dir "$base/home" --shell /bin/bash "$user"

cleanup() {
    local status=$? left
    # What the quickstarts keep when they fail.
    [ "$status" = 0 ] || find /tmp -user "$user" -name '*.log' -exec grep -H -E 'Exception|ERROR' {} + | tail -40 >&2 || true
    left=$(pgrep -u "$user" || true)
    [ -z "$left" ] || kill -9 $left
    [ -z "$mounted" ] || umount "$mounted"
    find /tmp -maxdepth 1 -user "$user" -exec rm -rf {} +
    userdel "$user"
    rm -rf "$base"
}
mounted=
trap cleanup EXIT

mkdir "$base/home" "$base/work" "$base/links"
chmod 755 "$base"
chmod 555 "$base/home"
chown "$user:" "$base/work"
for archive in "${archives[@]}"; do
    say "$(basename "$archive"), $(($(stat -c %s "$archive") / 1000000)) MB"
    tar -C "$base" -xzf "$archive"
done
home=$(echo "$base"/paritas-*)
# Reached through two symbolic links, the second of them relative.
ln -s "$home/bin/paritas" "$base/links/first"
ln -s first "$base/links/paritas"

# Runs the program as the other user, in a folder of that one, with nothing but Java beside it. Jobs in the background ignore ^C.
paritas() {
    (cd "$base/work" && runuser -u "$user" -- env -i --default-signal=INT HOME="$base/home" PATH=/usr/bin:/bin ${JAVA_HOME:+JAVA_HOME="$JAVA_HOME"} \
        "$base/links/paritas" "$@")
}

expect() { # a text that the output of a command has
    local text=$1 output
    shift
    output=$("$@" 2>&1) || fail "$*: ended with $?: $output"
    [[ $output == *"$text"* ]] || fail "$*: must say '$text', said: $output"
    say "$(grep -F -m 1 -- "$text" <<<"$output")"
}

classes() { unzip -Z1 "$1" '*.class' 2>/dev/null | grep -v '^META-INF/' || true; }

only() { # the files of a pattern, of which there must be one
    [ $# = 1 ] || fail "the distribution must have one jar of each kind, it has $#: $*"
    echo "$1"
}

licensed() { # a jar, and whose software it contains
    local jar=$1 entry
    shift
    for entry in LICENSE NOTICE "${@/%/.txt}"; do
        [[ $entry != *.txt ]] || entry=licenses/$entry
        unzip -Z1 "$jar" "META-INF/$entry" >/dev/null 2>&1 || fail "$jar must have META-INF/$entry, it has not"
    done
}

jars() {
    local bundle coders devices libraries twice
    bundle=$(only "$home"/spark/*.jar)
    coders=$(only "$home"/hdfs/*.jar)
    devices=$(only "$home"/gpu/*.jar)
    libraries=("$home"/lib/spark/*.jar)
    [ ${#libraries[@]} -gt 0 ] || fail "lib/spark must have the jars of Spark, it has none"
    local spark_jars
    spark_jars=$(paritas spark-jars | tr ',' '\n' | grep -v "^$home/lib/libtorch/" || true)
    [ "$spark_jars" = "$bundle" ] || fail "spark-jars must have the one jar for Spark beside LibTorch, it has: $spark_jars"
    twice=$(comm -12 <(classes "$bundle" | sort) <(for jar in "${libraries[@]}"; do classes "$jar"; done | sort -u))
    [ -z "$twice" ] || fail "the jar for Spark must have no class that Spark has, both have: $(head -5 <<<"$twice")"
    twice=$(classes "$coders" | grep -v -E '^(io/paritas|org/apache/hadoop/io/erasurecode/rawcoder)/' || true)
    [ -z "$twice" ] || fail "the jar for HDFS must have classes of Paritas only, it has: $(head -5 <<<"$twice")"
    licensed "$coders" asm
    licensed "$bundle" asm onnxruntime protobuf
    licensed "$devices" jcuda
    [ -s "$home/THIRD-PARTY.txt" ] && [ -s "$home/lib/spark/THIRD-PARTY.txt" ] || fail "the jars of others must be listed with their licences"
    for jar in "$coders" "$bundle" "$devices"; do
        say "$(basename "$jar"), $(($(stat -c %s "$jar") / 1000)) kB, $(classes "$jar" | wc -l) classes"
    done
}

files() {
    expect "Usage: paritas" paritas --help
    expect "paritas $(basename "$home" | cut -d- -f2-)" paritas --version
    head -c 100000000 /dev/urandom >"$base/work/a file"
    chown "$user:" "$base/work/a file"
    expect "as rs-6-3 into the 9 units" paritas encode "a file" --code rs-6-3 --out "its units"
    expect "sound" paritas verify "its units"
    rm "$base/work/its units"/unit-00{0,4,8}.paritas
    if paritas verify "its units" >/dev/null 2>&1; then fail "three missing units must be noticed"; fi
    expect "as of units that are left" decoded
    expect "Repaired 3 units" paritas repair "its units"
    expect "sound" paritas verify "its units"
    cp -p "$base/work/its units/unit-000.paritas" "$base/work/Grüße"
    expect "Encoded Grüße" paritas encode Grüße --out "Grüße in Teilen"
}

# What is called within a condition does not end by its first failure: hence each &&.
decoded() {
    paritas decode "its units" --out "as decoded" >/dev/null &&
        cmp "$base/work/a file" "$base/work/as decoded" &&
        echo "decoded to the same bytes as of units that are left"
}

refused() { # a text that the output of a command has, which ends with status 1, in one line, and leaves nothing in the folder $1
    local folder=$1 text=$2 output status=0
    shift 2
    output=$("$@" 2>&1 | grep -v '^WARNING: Using incubator'; exit "${PIPESTATUS[0]}") || status=$?
    [ "$status" = 1 ] || fail "$*: must end with 1, ended with $status: $output"
    [[ $output == *"$text"* && $(wc -l <<<"$output") = 1 ]] || fail "$*: must say '$text' in one line, said: $output"
    [ -z "$(ls -A "$folder" 2>/dev/null)" ] || fail "$*: must leave nothing, left $(ls -A "$folder")"
    say "$output"
}

interrupted() { # a signal, and what is left: encodes a file that takes long, until it writes
    paritas encode "long file" --out "long units" >/dev/null 2>&1 &
    local shell=$! program
    until compgen -G "$base/work/long units/unit-008*" >/dev/null; do
        kill -0 "$shell" 2>/dev/null || fail "the encode of a long file has ended by itself"
        sleep 0.1
    done
    program=$(pgrep -u "$user" -x java)
    kill "-$1" "$program"
    wait "$shell" && fail "an encode that got the signal $1 must not end with 0"
    compgen -G "$base/work/long units/*.paritas" >/dev/null && fail "an encode that got the signal $1 must leave no unit"
    [ "$1" = KILL ] || [ -z "$(ls -A "$base/work/long units" 2>/dev/null)" ] ||
        fail "after the signal $1 files are left: $(ls "$base/work/long units")"
    rm -rf "$base/work/long units"
    # Nobody deletes what a killed process was about to load (docs/security.md).
    [ "$1" != KILL ] || find /tmp -maxdepth 1 -user "$user" -name 'paritas-jcuda*' -exec rm -r {} +
    say "the signal $1 ends an encode without a unit"
}

trouble() {
    local small=$base/work/small
    head -c 30000000 /dev/urandom >"$base/work/file"
    head -c 1000 /dev/urandom >"$base/work/secret"
    truncate -s 64G "$base/work/long file"
    chown "$user:" "$base/work/file" "$base/work/long file"
    chmod 600 "$base/work/secret"
    refused "$base/home" "permission denied: $base/home/units" paritas encode file --out "$base/home/units"
    refused "$base/work/units" "permission denied: secret" paritas encode secret --out units
    paritas encode file --out units >/dev/null 2>&1
    refused "$base/home" "permission denied: $base/home/" paritas decode units --out "$base/home/file"
    mkdir -m 1733 "$base/work/drop"
    paritas decode units --out "$base/work/drop/file" >/dev/null 2>&1 || fail "cannot write to a folder that cannot be listed"
    mkdir "$small"
    if mount -t tmpfs -o size=10m,mode=777 tmpfs "$small"; then
        mounted=$small
        refused "$small" "No space left on device" paritas encode file --out small/units
        refused "$small" "No space left on device" paritas decode units --out small/file
        umount "$small"
        mounted=
    else
        say "skipped: a full disk, because no tmpfs can be mounted here"
    fi
    interrupted INT
    interrupted TERM
    interrupted KILL
}

# Models are written and read with protobuf, which is in the jar for Spark under another name.
models() {
    expect "parameters" paritas inspect noscope-n2
    expect "best in epoch 1" paritas train base --data glyphs:count=500 --epochs 1 --out models
    expect "ONNX, " paritas inspect models/base.onnx
}

doctor() {
    expect "The configuration is right. No installed Hadoop was examined." paritas doctor --conf "$home/conf"
}

hdfs() {
    paritas quickstart 2>&1 | tee "$base/hdfs.log"
    grep -q "verifyEC" "$base/hdfs.log" || fail "the quickstart on HDFS has not checked its blocks"
}

spark() {
    paritas quickstart --spark 2>&1 | tee "$base/spark.log"
    grep -q "No row was lost" "$base/spark.log" || fail "the quickstart on Spark has lost rows"
}

left_behind() {
    local left
    # Not those that have ended, and that a container's first process has not been told of yet.
    left=$(ps -u "$user" -o stat=,pid=,args= | grep -v '^Z' || true)
    [ -z "$left" ] || fail "processes are left: $left"
    # ONNX Runtime deletes its libraries, and leaves the empty folder in which they were.
    left=$(find /tmp /var/tmp /dev/shm -user "$user" ! -path "$base/work*" ! \( -name 'onnxruntime-java*' -empty \) 2>/dev/null | head -5 || true)
    [ -z "$left" ] || fail "files are left: $left"
    [ -z "$(ls -A "$base/home")" ] || fail "the home must stay empty, it has: $(ls -A "$base/home")"
    say "no process and no file is left"
}

for part in $parts; do
    say "--- $part"
    "$part"
    left_behind
done
say "all of it works"
