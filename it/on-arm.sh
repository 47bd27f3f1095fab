#!/usr/bin/env bash
# Runs tests of hdfs-codec's machine code on AArch64 by emulation: QEMU and OpenJDK 17 and 21 of Debian, which it downloads into a folder (300 MB)
# and unpacks there; nothing is installed. Needs Linux on x86-64, and curl, xz and dpkg-deb. On a machine with AArch64 `./mvnw test` does the
# same, faster. It says whether the code is right, not how fast it is. Takes some ten minutes a Java.
#
#   it/on-arm.sh                           in a folder below the temporary one, which stays for the next time
#   it/on-arm.sh FOLDER [TEST…]            there, and these classes
#   PROCESSOR=neoverse-n1 it/on-arm.sh     the processor that is emulated, as `qemu-aarch64 -cpu help` names it; by default one with everything
set -euo pipefail
[[ $# == 0 ]] || set -- "$(realpath -m -- "$1")" "${@:2}"
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

debian=https://deb.debian.org/debian
folder=${1:-${TMPDIR:-/tmp}/paritas-on-arm-$(id -un)}
shift $(($# > 0 ? 1 : 0))
tests=${*:-KernelWriterTest MistakesTest AssemblerTest ErasureCodeTest ParitasRSRawCoderTest}
[[ ! -e $folder || -O $folder ]] || { echo "it/on-arm.sh runs nothing from $folder, which belongs to somebody else; name another folder" >&2; exit 1; }

[[ $(uname -sm) == "Linux x86_64" ]] || { echo "it/on-arm.sh emulates on Linux on x86-64, and this is $(uname -sm)" >&2; exit 1; }
for tool in curl xz dpkg-deb; do
    command -v $tool >/dev/null || { echo "it/on-arm.sh needs $tool; install it first" >&2; exit 1; }
done

# Prints the path of each package's file in an index of Debian, newest version last.
paths() {
    local index=$1 package
    shift
    for package; do
        awk -v name="$package" '$1 == "Package:" { here = $2 == name } here && $1 == "Filename:" { print $2 }' "$index" | tail -1
    done
}

# Downloads packages of a release for an architecture, and unpacks them.
unpack() {
    local release=$1 architecture=$2 target=$3 index path
    shift 3
    index=$folder/$release-$architecture
    curl -fsS "$debian/dists/$release/main/binary-$architecture/Packages.xz" | xz -dc >"$index"
    [[ $(paths "$index" "$@" | wc -l) == $# ]] || { echo "Debian $release lacks one of $* for $architecture" >&2; return 1; }
    for path in $(paths "$index" "$@"); do
        echo "  $debian/$path" >&2
        curl -fsS -o "$folder/package.deb" "$debian/$path"
        dpkg-deb -x "$folder/package.deb" "$target"
    done
    rm -f "$folder/package.deb" "$index"
}

if [[ ! -e $folder/ready ]]; then
    echo "downloading to $folder:" >&2
    mkdir -p "$folder/root/usr/lib"
    ln -sfn usr/lib "$folder/root/lib"
    unpack trixie amd64 "$folder/emulator" qemu-user
    unpack trixie arm64 "$folder/root" libc6 libgcc-s1 libstdc++6 zlib1g libjpeg62-turbo liblcms2-2 libpcsclite1 \
        openjdk-21-jre-headless openjdk-21-jdk-headless
    unpack bookworm arm64 "$folder/bookworm" openjdk-17-jre-headless openjdk-17-jdk-headless
    cp -a "$folder"/bookworm/{etc,usr} "$folder/root/"
    rm -r "$folder/bookworm"
    touch "$folder/ready"
fi

./mvnw -B -q test-compile -pl hdfs-codec -Dnext.java.skip
status=0
for version in 17 21; do
    # What Maven takes for a JDK: its java is an emulator that runs the real one.
    java=$folder/java-$version/bin/java
    modules=jdk.incubator.vector
    [[ $version != 17 ]] || modules+=,jdk.incubator.foreign
    mkdir -p "$(dirname "$java")"
    cat >"$java" <<END
#!/bin/sh
exec "$folder/emulator/usr/bin/qemu-aarch64" -cpu ${PROCESSOR:-max} -L "$folder/root" "$folder/root/usr/lib/jvm/java-$version-openjdk-arm64/bin/java" --add-modules $modules "\$@"
END
    chmod +x "$java"
    log=$(mktemp "${TMPDIR:-/tmp}/arm-$version-XXXXXX.log")
    if ./mvnw -B surefire:test@machine-next-java -pl hdfs-codec -Dnext.java.skip=false -Dnext.java.home="$folder/java-$version" \
        -Dmachine.tests=".*/($(tr ' ' '|' <<<"$tests"))\.class" -Dio.paritas.test.expectCode=true >"$log" 2>&1 &&
        grep -q 'Tests run: [1-9]' "$log"; then
        echo "AArch64, Java $version: $(grep -E '^\[(INFO|WARNING)\] Tests run: [0-9]+, .*[0-9]$' "$log" | tail -1 | sed 's/^[^ ]* //')"
        rm "$log"
    else
        status=1
        echo "AArch64, Java $version: FAILED, see $log" >&2
        grep -E '^\[ERROR\]|<<< (FAILURE|ERROR)!' "$log" | head -10 >&2 || true
    fi
done
exit $status
