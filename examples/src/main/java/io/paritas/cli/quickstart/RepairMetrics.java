/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics of DataNodes about reconstructed blocks. */
record RepairMetrics(long tasks, long failedTasks, long bytesRead, long bytesWritten, Duration decoding) {
    /** Returns the sum over these DataNodes. */
    static RepairMetrics of(Collection<Daemon> dataNodes) throws IOException {
        RepairMetrics sum = new RepairMetrics(0, 0, 0, 0, Duration.ZERO);
        for (Daemon dataNode : dataNodes) {
            sum = sum.plus(of(dataNode));
        }
        return sum;
    }

    /** Parses the metrics of one DataNode, from its servlet. */
    static RepairMetrics of(Daemon dataNode) throws IOException {
        InetSocketAddress http = dataNode.http();
        URI uri = URI.create(
                "http://127.0.0.1:" + http.getPort() + "/jmx?qry=Hadoop:service=DataNode,name=DataNodeActivity-*");
        try (InputStream in = uri.toURL().openStream()) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static RepairMetrics parse(String json) {
        return new RepairMetrics(
                value(json, "EcReconstructionTasks"),
                value(json, "EcFailedReconstructionTasks"),
                value(json, "EcReconstructionBytesRead"),
                value(json, "EcReconstructionBytesWritten"),
                Duration.ofNanos(value(json, "EcDecodingTimeNanos")));
    }

    private static long value(String json, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\"\\s*:\\s*(\\d+)").matcher(json);
        CheckFailed.require(matcher.find(), "a DataNode of Hadoop 3.5 must have the metric %s, got %s", name, json);
        return Long.parseLong(matcher.group(1));
    }

    private RepairMetrics plus(RepairMetrics other) {
        return new RepairMetrics(
                tasks + other.tasks,
                failedTasks + other.failedTasks,
                bytesRead + other.bytesRead,
                bytesWritten + other.bytesWritten,
                decoding.plus(other.decoding));
    }
}
