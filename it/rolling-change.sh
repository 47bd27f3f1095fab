#!/usr/bin/env bash
# Proves docs/install-hdfs.md: a NameNode and six DataNodes, each a process with an unpacked Hadoop of its own, go over to our coder one by
# one and back again, while files are written and read. Nothing but the jar, core-site.xml and hadoop-env.sh of a machine changes.
# Takes about five minutes a version; needs 2 GB of memory.
#
#   it/rolling-change.sh            the version that the build uses
#   it/rolling-change.sh 3.3.6      another one
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

version=${1:-$(sed -n 's:.*<version.hadoop>\(.*\)</version.hadoop>.*:\1:p' pom.xml)}
nodes=6
policy=RS-3-2-1024k
base=$(mktemp -d "${TMPDIR:-/tmp}/paritas-rolling-XXXXXX")
declare -A process

say() { echo "rolling: $*"; }

fail() {
    echo "rolling: FAILED: $*" >&2
    exit 1
}

cleanup() {
    local status=$?
    [ "$status" = 0 ] || tail -n 15 "$base"/*/log >&2 || true
    [ ${#process[@]} = 0 ] || kill -9 "${process[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$base"
}
trap cleanup EXIT

until_true() { # a text for the failure, a command that is tried for two minutes
    local what=$1 name
    shift
    for _ in {1..240}; do
        if "$@" >/dev/null; then return; fi
        for name in "${!process[@]}"; do kill -0 "${process[$name]}" 2>/dev/null || fail "$name has ended by itself"; done
        sleep 0.5
    done
    fail "waited two minutes for: $what"
}

# --- machines: each is a folder with etc/hadoop, share/hadoop and the command bin/hadoop

unpack_hadoop() {
    local share=$base/hadoop/share/hadoop
    ./mvnw -B -q -f it/src/test/hadoop/pom.xml -Dversion.hadoop="$version" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$share/common/lib"
    # The pages of the web interface are on no Maven repository either.
    mkdir -p "$share"/hdfs/webapps/{hdfs,datanode}/WEB-INF "$base/hadoop/bin" "$base/hadoop/etc/hadoop"
    mv "$share"/common/lib/hadoop-common-*.jar "$share/common"
    mv "$share"/common/lib/hadoop-hdfs-*.jar "$share/hdfs"
    # Hadoop's own scripts are on no Maven repository. These lines do what they do with the files of the machine.
    cat >"$base/hadoop/bin/hadoop" <<'HADOOP'
#!/usr/bin/env bash
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$home/etc/hadoop/hadoop-env.sh"
share=$home/share/hadoop
if [ "$1" = classpath ]; then
    jars=("$share"/common/lib/*.jar "$share"/common/*.jar "$share"/hdfs/*.jar)
    IFS=:
    echo "$home/etc/hadoop:${jars[*]}:$share/hdfs"
else
    exec java $HADOOP_OPTS -cp "$home/etc/hadoop:$share/common/lib/*:$share/common/*:$share/hdfs/*:$share/hdfs" "$@"
fi
HADOOP
    chmod +x "$base/hadoop/bin/hadoop"
    cat >"$base/hadoop/etc/hadoop/log4j.properties" <<'LOG'
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
LOG
}

property() { echo "<property><name>$1</name><value>$2</value></property>"; }

# Whether the files of a machine ask for our coder.
configure() { # MACHINE ours|hadoop
    local conf=$base/$1/etc/hadoop coders=
    [ "$2" = hadoop ] || coders=$(property io.erasurecode.codec.rs.rawcoders rs_paritas,rs_java)
    echo "<configuration>$(property fs.defaultFS "hdfs://localhost:$port") $(property hadoop.tmp.dir "$base/$1/tmp") $coders</configuration>" \
        >"$conf/core-site.xml"
    if [ "$2" = ours ]; then
        cat examples/src/main/conf/hadoop-env.sh
    fi >"$conf/hadoop-env.sh"
}

machine() { # NAME
    mkdir "$base/$1"
    cp -r "$base/hadoop/bin" "$base/hadoop/etc" "$base/$1"
    cp -rs "$base/hadoop/share" "$base/$1/share"
    configure "$1" hadoop
    cat >"$base/$1/etc/hadoop/hdfs-site.xml" <<SITE
<configuration>
$(property dfs.namenode.rpc-address "localhost:$port") $(property dfs.namenode.http-address "localhost:$((port + 1))")
$(property dfs.namenode.name.dir "$base/$1/name") $(property dfs.datanode.data.dir "$base/$1/data")
$(property dfs.datanode.address localhost:0) $(property dfs.datanode.http.address localhost:0) $(property dfs.datanode.ipc.address localhost:0)
$(property dfs.heartbeat.interval 1s) $(property dfs.namenode.heartbeat.recheck-interval 1000)
$(property dfs.namenode.redundancy.interval.seconds 1s) $(property dfs.client.block.write.replace-datanode-on-failure.enable false)
</configuration>
SITE
}

start() { # MACHINE CLASS
    : >"$base/$1/log"
    HADOOP_OPTS="-Xmx192m -XX:+UseSerialGC" "$base/$1/bin/hadoop" "$2" >"$base/$1/log" 2>&1 &
    process[$1]=$!
}

stop() { # MACHINE
    kill "${process[$1]}"
    wait "${process[$1]}" || true
    unset "process[$1]"
}

start_datanode() { # MACHINE
    start "$1" org.apache.hadoop.hdfs.server.datanode.DataNode
    until_true "$1 to join" grep -q -i 'successfully sent block report' "$base/$1/log"
}

hadoop() { # MACHINE CLASS ARGUMENT ...
    HADOOP_OPTS="-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" "$base/$1/bin/hadoop" "${@:2}" 2>>"$base/$1/log"
}

reports() { # BEAN ATTRIBUTE VALUE: of the NameNode
    curl -s "http://localhost:$((port + 1))/jmx?qry=Hadoop:service=NameNode,name=$1" | grep -q -E "\"$2\" : $3\b"
}

live() { reports FSNamesystemState NumLiveDataNodes "$1"; }

# --- files

files=()

write() { # NAME MACHINE
    head -c $((7 * 1048576 + 12345)) /dev/urandom >"$base/local/$1"
    hadoop "$2" org.apache.hadoop.fs.FsShell -put "$base/local/$1" "/data/$1" || fail "$2 cannot write $1"
    files+=("$1")
}

read_all() { # MACHINE
    local file
    rm -rf "$base/read"
    hadoop "$1" org.apache.hadoop.fs.FsShell -get /data "$base/read" || fail "$1 cannot read"
    for file in "${files[@]}"; do
        cmp -s "$base/local/$file" "$base/read/$file" || fail "$1 reads other bytes of $file than were written"
    done
}

agrees() { # MACHINE FILE: it may take a while until the NameNode knows where everybody is
    local said
    said=$(hadoop "$1" org.apache.hadoop.hdfs.tools.DebugAdmin verifyEC -file "/data/$2") || true
    [[ $said != *"not match"* ]] || fail "data and parity of $2 differ"
    [[ $said == *"Status: OK"* ]]
}

verify_parity() { # MACHINE
    local file
    for file in "${files[@]}"; do
        until_true "data and parity of $file to be looked at" agrees "$1" "$file"
    done
}

install() { # MACHINE: steps 1 to 3 of docs/install-hdfs.md
    cp "$jar" "$base/$1/share/hadoop/common/lib/"
    configure "$1" ours
}

remove() { # MACHINE
    configure "$1" hadoop
    rm "$base/$1/share/hadoop/common/lib/$(basename "$jar")"
}

examine() { # MACHINE
    local said
    said=$(HADOOP_OPTS= PATH=$base/$1/bin:$PATH bin/paritas doctor --conf "$base/$1/etc/hadoop" 2>&1) || true
    [[ $said == *"HDFS uses our coder here."* ]] || fail "the doctor is not content with a machine that was changed as the page says: $said"
}

# --- the change

say "the jar, and an unpacked Hadoop $version"
./mvnw -B -q -pl hdfs-codec -DskipTests package
jar=$(ls hdfs-codec/target/paritas-hdfs-codec-*[0-9T].jar)
bin/paritas --version >/dev/null
port=$((20000 + RANDOM % 10000))
mkdir "$base/local"
unpack_hadoop
for name in namenode plain changed; do machine "$name"; done
hadoop namenode org.apache.hadoop.hdfs.server.namenode.NameNode -format -nonInteractive >/dev/null || fail "the NameNode cannot be formatted"
start namenode org.apache.hadoop.hdfs.server.namenode.NameNode
for i in $(seq $nodes); do
    machine "datanode$i"
    start_datanode "datanode$i"
done
until_true "six DataNodes" live $nodes
hadoop plain org.apache.hadoop.hdfs.tools.ECAdmin -enablePolicy -policy $policy >/dev/null
hadoop plain org.apache.hadoop.fs.FsShell -mkdir /data
hadoop plain org.apache.hadoop.hdfs.tools.ECAdmin -setPolicy -path /data -policy $policy >/dev/null
write before plain

install changed
examine changed
say "the doctor is content with a changed machine"

for i in $(seq $nodes); do
    stop "datanode$i"
    # One DataNode is away: each read decodes, with Hadoop's coder and with ours.
    read_all plain
    read_all changed
    install "datanode$i"
    start_datanode "datanode$i"
    write "during-$i" "$([ $((i % 2)) = 0 ] && echo plain || echo changed)"
    say "DataNode $i of $nodes changed, ${#files[@]} files read while it was away"
done
write after changed
verify_parity plain

kill -9 "${process[datanode1]}"
wait "${process[datanode1]}" 2>/dev/null || true
unset "process[datanode1]"
until_true "the NameNode to notice the loss" live $((nodes - 1))
rebuilt() { grep -l -E 'ParitasCoders: rs_paritas\(3,2\)' "$base"/datanode[2-6]/log; }
until_true "a reconstruction with our coder" rebuilt
complete() { reports ECBlockGroupsState LowRedundancyECBlockGroups 0; }
until_true "all units to be rebuilt" complete
verify_parity plain
say "a DataNode killed, its units rebuilt: $(rebuilt | wc -l) of $((nodes - 1)) DataNodes used our coder"
start_datanode datanode1

for i in $(seq $nodes); do
    stop "datanode$i"
    if [ "$i" = 1 ]; then
        # The other order: the jar goes first, and the property falls back.
        rm "$base/datanode1/share/hadoop/common/lib/$(basename "$jar")"
    else
        remove "datanode$i"
    fi
    read_all plain
    start_datanode "datanode$i"
    write "back-$i" "$([ $((i % 2)) = 0 ] && echo plain || echo changed)"
    say "DataNode $i of $nodes is as it was"
done
remove changed
read_all changed
verify_parity plain
[ -z "$(find "$base" -path '*/lib/paritas*')" ] || fail "a jar is left"
say "Hadoop $version: ${#files[@]} files, written before, during and after, read the same bytes from every mixture of coders"
