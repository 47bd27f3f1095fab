/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/** The Hadoop settings of the quickstart: the coder, the loopback interface, and short waits. */
final class Settings {
    /** The raw coders that HDFS tries for the codec rs, in this order. */
    static final String RAW_CODERS = "io.erasurecode.codec.rs.rawcoders";

    /** Our coder. */
    static final String RS_PARITAS = "rs_paritas";

    /** Hadoop's own coder in Java. */
    static final String RS_JAVA = "rs_java";

    /** A port that the kernel chooses, so that nothing can take it in between. */
    private static final String LOOPBACK = "127.0.0.1:0";

    private static final Map<String, String> EVERYWHERE =
            Map.of("hadoop.security.token.service.use_ip", "true", "dfs.blocksize", String.valueOf(16 << 20));

    private static final Map<String, String> DAEMON = Map.ofEntries(
            // Ours first, then Hadoop's, as in production.
            Map.entry(RAW_CODERS, RS_PARITAS + "," + RS_JAVA),
            Map.entry("dfs.heartbeat.interval", "1"),
            Map.entry("fs.getspaceused.classname", "org.apache.hadoop.fs.DFCachingGetSpaceUsed"));

    private static final Map<String, String> NAME_NODE = Map.ofEntries(
            Map.entry("fs.defaultFS", "hdfs://" + LOOPBACK),
            Map.entry("dfs.namenode.http-address", LOOPBACK),
            Map.entry("dfs.namenode.datanode.registration.ip-hostname-check", "false"),
            Map.entry("dfs.namenode.handler.count", "4"),
            Map.entry("dfs.namenode.safemode.extension", "0"),
            // A DataNode is dead after 2 rechecks and 10 heartbeats: 14 s.
            Map.entry("dfs.namenode.heartbeat.recheck-interval", "2000"),
            Map.entry("dfs.namenode.redundancy.interval.seconds", "1"),
            Map.entry("dfs.namenode.redundancy.considerLoad", "false"),
            Map.entry("dfs.namenode.replication.work.multiplier.per.iteration", "100"),
            Map.entry("dfs.namenode.replication.max-streams", "100"),
            Map.entry("dfs.namenode.replication.max-streams-hard-limit", "200"),
            Map.entry("dfs.namenode.reconstruction.pending.timeout-sec", "30"));

    private static final Map<String, String> DATA_NODE = Map.ofEntries(
            Map.entry("dfs.datanode.address", LOOPBACK),
            Map.entry("dfs.datanode.ipc.address", LOOPBACK),
            Map.entry("dfs.datanode.http.address", LOOPBACK),
            Map.entry("dfs.datanode.hostname", "127.0.0.1"),
            Map.entry("dfs.datanode.handler.count", "3"),
            Map.entry("dfs.datanode.directoryscan.interval", "-1"),
            Map.entry("dfs.block.scanner.volume.bytes.per.second", "0"));

    private Settings() {}

    /** Returns settings of the NameNode, with its state below a directory. */
    static Configuration nameNode(Path directory) {
        Configuration settings = settings(directory, EVERYWHERE, DAEMON, NAME_NODE);
        settings.set("dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
        return settings;
    }

    /** Returns settings of a DataNode of this NameNode, with its state below a directory. */
    static Configuration dataNode(Path directory, InetSocketAddress nameNode) {
        Configuration settings = settings(directory, EVERYWHERE, DAEMON, DATA_NODE);
        settings.set("fs.defaultFS", uri(nameNode));
        settings.set("dfs.datanode.data.dir", directory.resolve("data").toUri().toString());
        return settings;
    }

    /** Returns settings of a client of this NameNode that uses this raw coder only. */
    static Configuration client(Path directory, InetSocketAddress nameNode, String rawCoder) {
        Configuration settings = settings(directory, EVERYWHERE);
        settings.set("fs.defaultFS", uri(nameNode));
        settings.set(RAW_CODERS, rawCoder);
        return settings;
    }

    private static String uri(InetSocketAddress nameNode) {
        return "hdfs://127.0.0.1:" + nameNode.getPort();
    }

    @SafeVarargs
    private static Configuration settings(Path directory, Map<String, String>... parts) {
        Configuration settings = new HdfsConfiguration();
        settings.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
        for (Map<String, String> part : parts) {
            part.forEach(settings::set);
        }
        return settings;
    }
}
