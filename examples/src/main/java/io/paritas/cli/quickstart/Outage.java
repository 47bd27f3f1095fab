/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.quickstart.Progress.Condition;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The loss of as many DataNodes as the policy tolerates, and the repair on as many new ones. */
final class Outage {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration METRICS_LIMIT = Duration.ofSeconds(30);

    private final Policy policy;
    private final Cluster cluster;
    private final Duel duel;
    private final Progress progress;

    private List<Daemon> killed = List.of();
    private long lostBlocks;
    private long lostDataBlocks;
    private long hurtGroups;

    Outage(Policy policy, Cluster cluster, Duel duel, Progress progress) {
        this.policy = policy;
        this.cluster = cluster;
        this.duel = duel;
        this.progress = progress;
    }

    /** Waits until the NameNode knows this many DataNodes. */
    void awaitDataNodes(int count) throws Exception {
        step(
                "wait until the NameNode knows them",
                LIMIT,
                new Condition(
                        "DataNodes to come", () -> (long) count - duel.paritas().liveDataNodes()));
    }

    /** Waits until every block is in place, then kills the DataNodes with the most data blocks. */
    void kill() throws Exception {
        step("wait until every block is stored", LIMIT, missingBlocks());
        killed = placement(Quickstart.FILE)
                .byDataUnits(cluster.dataNodes())
                .subList(0, policy.code().r());
        List<Integer> ports = ports(killed);
        lostBlocks = sum(file -> file.unitsOn(ports));
        hurtGroups = sum(file -> file.groupsOn(ports));
        lostDataBlocks = placement(Quickstart.FILE).dataUnitsOn(ports);
        cluster.kill(killed);
        progress.say("killed "
                + killed.stream()
                        .map(daemon -> daemon + " (process " + daemon.pid() + ")")
                        .collect(Collectors.joining(", ")));
    }

    /** The number of blocks of both files on the killed DataNodes. */
    long lostBlocks() {
        return lostBlocks;
    }

    /** Starts new, empty DataNodes. */
    void replace() throws Exception {
        cluster.startDataNodes(killed.size());
    }

    /** Waits until HDFS has rebuilt every block. */
    void awaitRepair() throws Exception {
        progress.await(LIMIT, advice(), missingBlocks());
    }

    private Condition missingBlocks() {
        List<Integer> ports = ports(cluster.dataNodes());
        return new Condition("blocks to go", () -> sum(file -> file.unitsNotOn(ports)));
    }

    private void step(String name, Duration limit, Condition condition) throws Exception {
        progress.step(name, () -> {
            progress.await(limit, advice(), condition);
            return null;
        });
    }

    private String advice() {
        return "Is the machine busy? Try again, with a smaller FILE"
                + (policy == Policy.RS_3_2 ? "" : " or with --policy " + Policy.RS_3_2);
    }

    /** Adds the facts to a report, with the evidence that our coder ran. */
    void tell(Report report) throws Exception {
        report.fact("killed", names(killed) + ", with " + lostDataBlocks + " data blocks of what rs_paritas wrote");
        step("read the metrics of the DataNodes", METRICS_LIMIT, missingMetrics());
        List<Daemon> repairers = repairers();
        RepairMetrics metrics = RepairMetrics.of(repairers);
        report.fact(
                "rebuilt",
                String.format(
                        Locale.ROOT,
                        "%d blocks by %s: %s read, %s written, %s thread-seconds in the raw coder",
                        lostBlocks,
                        names(repairers),
                        Report.megabytes(metrics.bytesRead()),
                        Report.megabytes(metrics.bytesWritten()),
                        Report.seconds(metrics.decoding())));
        report.fact(
                "their logs",
                repairers.stream().map(this::coderLogged).distinct().collect(Collectors.joining("; ")));
    }

    /** HDFS rebuilds the losses of a block group in one task or more. */
    private Condition missingMetrics() {
        return new Condition(
                "block groups not counted as rebuilt",
                () -> hurtGroups - RepairMetrics.of(cluster.dataNodes()).tasks());
    }

    /** The DataNodes that rebuilt anything: the new ones, unless the file is too short to need all the others. */
    private List<Daemon> repairers() throws IOException {
        List<Daemon> repairers = new ArrayList<>();
        for (Daemon daemon : cluster.dataNodes()) {
            if (RepairMetrics.of(daemon).tasks() > 0) {
                repairers.add(daemon);
            }
        }
        return repairers;
    }

    /** Returns the line of the DataNode's log about its coder. */
    private String coderLogged(Daemon daemon) {
        String coder = Settings.RS_PARITAS + policy.code();
        String line = daemon.logged(coder)
                .orElseThrow(() -> new CheckFailed("A DataNode that rebuilds blocks logs its coder, " + coder + "; "
                        + daemon + " did not, so HDFS fell back to another one of " + Settings.RAW_CODERS
                        + ". Its log says why"));
        return line.substring(line.indexOf(coder));
    }

    private long sum(ToLongFunction<Placement> value) throws IOException {
        return value.applyAsLong(placement(Quickstart.FILE)) + value.applyAsLong(placement(Quickstart.JAVA_FILE));
    }

    private Placement placement(String file) throws IOException {
        return duel.paritas().placement(file, policy);
    }

    private static List<Integer> ports(List<Daemon> daemons) {
        return daemons.stream().map(daemon -> daemon.address().getPort()).toList();
    }

    private static String names(List<Daemon> daemons) {
        return daemons.stream().map(Daemon::toString).collect(Collectors.joining(", "));
    }
}
