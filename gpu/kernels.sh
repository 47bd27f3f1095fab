#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernels.sh check | remake | build | emulator FILE     the CUDA side of this module; needs only what the verb says.
#   check     checks that the committed PTX is that of the sources, by the hashes in kernels.lock
#   remake    checks the same; where the nvcc named there is present, also builds the PTX of the jar again and compares
#   build     nvcc 13: writes the PTX into the resources, each file compressed, and kernels.lock
#   emulator  g++: compiles the same sources for the CPU, into FILE, which takes the place of the driver's libcuda.so.1
set -eu
cd "$(dirname "$0")"

# Older than what nvcc writes, so that drivers from CUDA 12.0 (525) on load it. That the text is PTX 8.0 all the same is
# what PtxAssemblesTest checks.
isa=8.0
architectures="75 80"              # ... unless a source says "Only for compute capability X.Y."
main=src/main/cuda                 # the module's kernels ...
test=src/test/cuda                 # ... and those that they are compared with
main_ptx=src/main/resources/io/paritas/gpu/kernels
test_ptx=src/test/resources/io/paritas/gpu/kernels

hash() { cat "$@" | { sha256sum 2>/dev/null || shasum -a 256; } | cut -d' ' -f1; }
sources() { LC_ALL=C ls $main/*.cu* $test/*.cu*; }
# The hash is of the text, so gzips that compress differently agree.
texts() { LC_ALL=C ls $main_ptx/*.ptx.gz $test_ptx/*.ptx.gz; }
text_hash() { gzip -dc "$@" | hash; }
nvcc_build() { nvcc --version | sed -n 's/^Build //p'; }
locked() { sed -n "s/^$1 //p" kernels.lock; }

# for_each N PROGRAM: runs it with each N of the words on the input, which end with zeros, on all processors.
for_each() { xargs -0 -P "$(getconf _NPROCESSORS_ONLN)" -n "$@"; }

# Prints the one compute capability that a source is for, if it says so.
own() { sed -n 's/^\/\/ Only for compute capability \([0-9]*\)\.\([0-9a-z]*\)\.$/\1\2/p' "$1"; }

compile() { # compile SOURCES_FOLDER PTX_FOLDER
    mkdir -p "$2"
    for source in "$1"/*.cu; do
        own=$(own "$source")
        for architecture in ${own:-$architectures}; do
            printf '%s\0' "$architecture" "$source" "$2/$(basename "$source" .cu).$architecture.ptx"
        done
    done | for_each 3 sh -c 'nvcc -ptx -O3 -std=c++17 -arch=compute_"$1" -I "$0" "$2" -o "$3.raw"' $main
    for raw in "$2"/*.raw; do
        sed -E "s/^\.version [0-9.]+/.version $isa/; /^\/\/ (Compiler Build ID|Cuda compilation tools|Based on)/d" "$raw" >"${raw%.raw}"
        rm "$raw"
    done
    for source in "$1"/*.cu; do
        name=$(basename "$source" .cu)
        [ -z "$(own "$source")" ] || continue
        # What is the same for all but its target is shipped once: newer GPUs take the older one's.
        oldest=$2/$name.${architectures%% *}.ptx
        for architecture in ${architectures#* }; do
            ptx=$2/$name.$architecture.ptx
            if [ "$(grep -v '^\.target ' "$oldest" | hash)" = "$(grep -v '^\.target ' "$ptx" | hash)" ]; then rm "$ptx"; fi
        done
    done
    gzip -9 -n "$2"/*.ptx # -n: no time stamp
}

same() { # same BUILT_FOLDER COMMITTED_FOLDER
    for ptx in "$1"/*.ptx.gz; do
        name=$(basename "$ptx")
        [ -f "$2/$name" ] && [ "$(text_hash "$ptx")" = "$(text_hash "$2/$name")" ] || fail "nvcc makes another $name"
    done
}

fail() {
    echo "kernels: $*" >&2
    exit 1
}

check() {
    [ "$(hash $(sources))" = "$(locked sources)" ] ||
        fail "a source changed after its PTX was made: run gpu/kernels.sh build on a machine with nvcc"
    [ "$(text_hash $(texts))" = "$(locked ptx)" ] ||
        fail "a PTX file is not the one that was made: run gpu/kernels.sh build on a machine with nvcc"
}

case ${1:-} in
build)
    rm -f $main_ptx/*.ptx.gz $test_ptx/*.ptx.gz
    compile $main $main_ptx
    compile $test $test_ptx
    printf 'sources %s\nptx %s\nnvcc %s\n' "$(hash $(sources))" "$(text_hash $(texts))" "$(nvcc_build)" >kernels.lock
    ;;
check)
    check
    echo "kernels: the PTX belongs to the sources, by their hashes"
    ;;
remake)
    check
    if command -v nvcc >/dev/null 2>&1 && [ "$(nvcc_build)" = "$(locked nvcc)" ]; then
        built=$(mktemp -d)
        trap 'rm -rf "$built"' EXIT
        # Not those of the tests: nvcc compiles the kernels with flips a little differently each time.
        compile $main "$built"/main
        same "$built"/main $main_ptx
        echo "kernels: built again with nvcc, identical"
    else
        echo "kernels: the PTX belongs to the sources, by their hashes; not built again, for nvcc $(locked nvcc) is not here"
    fi
    ;;
emulator)
    command -v g++ >/dev/null 2>&1 || fail "the tests run the kernels on the CPU, and need g++ for that: install it"
    folder=$(dirname "$2")
    mkdir -p "$folder"
    inputs=$(hash kernels.sh src/test/native/* $(sources))
    if [ -f "$2" ] && [ "$(cat "$2.inputs" 2>/dev/null)" = "$inputs" ]; then exit 0; fi
    rm -f "$folder"/*.cpp
    for source in $main/*.cu $test/*.cu; do
        {
            printf '#include "emulator.h"\nnamespace {\n#include "%s"\n' "$PWD/$source"
            sed -nE 's/^KERNEL\(([a-z0-9_]+)\).*/EMULATED(\1);/p' "$source"
            echo '}'
        } >"$folder/$(basename "$source" .cu).cpp"
    done
    rm -f "$folder"/*.o
    printf '%s\0' src/test/native/*.cpp "$folder"/*.cpp | for_each 1 sh -c 'g++ -std=c++17 -O2 ${EMULATOR_FLAGS:-} -Wall -Wno-unknown-pragmas \
        -Wno-unused-function -fno-strict-aliasing -ffp-contract=off -fvisibility=hidden -fPIC -I src/test/native -I "$0" \
        -c "$2" -o "$1/$(basename "$2" .cpp).o"' $main "$folder"
    g++ -shared ${EMULATOR_FLAGS:-} -Wl,-soname,libcuda.so.1 "$folder"/*.o -o "$2"
    echo "$inputs" >"$2.inputs"
    ;;
*)
    sed -n '3,7p' kernels.sh >&2
    exit 2
    ;;
esac
