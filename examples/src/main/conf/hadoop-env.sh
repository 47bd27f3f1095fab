# To append to etc/hadoop/hadoop-env.sh of DataNodes and clients: vectors, and machine code on Java 22 and newer.
export HADOOP_OPTS="$HADOOP_OPTS --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED"
