# To append to etc/hadoop/hadoop-env.sh of DataNodes and clients: vectors and machine code.
export HADOOP_OPTS="$HADOOP_OPTS --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED"
# Java 17 calls machine code by a module of its own. Others lack it, and do not start with its name.
if grep -qs jdk.incubator.foreign "$JAVA_HOME/release"; then
    export HADOOP_OPTS="$HADOOP_OPTS --add-modules jdk.incubator.foreign"
fi
