/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.quickstart;

import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.examples.quickstart.Progress.Timed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The story: a cluster starts, takes a file, loses DataNodes, reads the file all the same, and repairs itself. */
final class Quickstart {
    /** Where the client with {@code rs_paritas} writes the file. */
    static final String FILE = file(Settings.RS_PARITAS);

    /** Where the client with {@code rs_java} does. */
    static final String JAVA_FILE = file(Settings.RS_JAVA);

    private static final int RANGES = 32;

    /** What to show: a local file, how it is coded, and what the random ranges are made from. */
    record Options(Path file, Policy policy, long seed) {
        /** How long the file is. */
        long bytes() throws IOException {
            return Files.size(file);
        }
    }

    private final Options options;
    private final Cluster cluster;
    private final Progress progress;
    private final Report report;

    Quickstart(Options options, Cluster cluster, Progress progress) {
        this.options = options;
        this.cluster = cluster;
        this.progress = progress;
        report = new Report(
                String.format(
                        "%s: a NameNode and %d DataNodes on JDK %s, %d processors",
                        options.policy,
                        dataNodes(),
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors()),
                progress);
    }

    /**
     * Runs everything; returns what there is to tell.
     *
     * @throws CheckFailed if anything is not as it should be
     */
    Report run() throws Exception {
        report.fact("client", KernelChoice.current().sentence());
        report.fact("file", options.file + ", " + Report.megabytes(options.bytes()));
        report.row("everything", Timed.of(this::runAll).time());
        return report;
    }

    private Void runAll() throws Exception {
        startCluster();
        try (Duel duel = Duel.in(cluster)) {
            Outage outage = new Outage(options.policy, cluster, duel, progress);
            outage.awaitDataNodes(dataNodes());
            String sha256 = write(duel);
            read(duel, "read, all DataNodes alive", sha256);
            outage.kill();
            report.decoding(read(duel, "read, " + options.policy.code().r() + " DataNodes killed", sha256));
            readRanges(duel);
            repair(outage);
            read(duel, "read, repaired", sha256);
            report.fact("SHA-256", sha256 + ", the same in every read");
            verify(duel);
            outage.tell(report);
            return null;
        }
    }

    private void startCluster() throws Exception {
        report.step("start the NameNode", cluster::startNameNode);
        report.step("start " + dataNodes() + " DataNodes", () -> cluster.startDataNodes(dataNodes()));
    }

    /** Both clients write a file of their own. */
    private String write(Duel duel) throws Exception {
        for (String file : List.of(FILE, JAVA_FILE)) {
            duel.paritas().makeDirectory(directory(file), options.policy);
        }
        return report.duel(
                        "write " + Report.megabytes(options.bytes()),
                        () -> duel.run((client, coder) -> client.write(options.file, file(coder))))
                .sha256();
    }

    /** Both clients read the same file, so that both have to decode the same. */
    private Duel.Result read(Duel duel, String name, String sha256) throws Exception {
        return report.duel(
                name, () -> duel.run((client, coder) -> client.read(FILE)).requireEqual(sha256));
    }

    private void readRanges(Duel duel) throws Exception {
        List<Range> ranges = Range.random(options.seed, RANGES, options.bytes());
        report.step("read " + 2 * RANGES + " random ranges", () -> {
            duel.paritas().compare(FILE, options.file, ranges);
            duel.paritas().compare(JAVA_FILE, options.file, ranges);
        });
        report.fact(
                "ranges",
                2 * RANGES + " read by rs_paritas, half of them of what rs_java wrote, all equal; --seed "
                        + options.seed);
    }

    private void repair(Outage outage) throws Exception {
        report.step("start " + options.policy.code().r() + " empty DataNodes", outage::replace);
        report.step("rebuild " + outage.lostBlocks() + " blocks on them", outage::awaitRepair);
    }

    /** Each file's parity is computed once more by the other coder. */
    private void verify(Duel duel) throws Exception {
        report.step("hdfs debug verifyEC", () -> {
            VerifyEc.requireOk(duel.java().settings(), FILE);
            VerifyEc.requireOk(duel.paritas().settings(), JAVA_FILE);
        });
        report.fact(
                "verifyEC",
                "all block groups OK; rs_java checked what rs_paritas wrote and rebuilt, and rs_paritas the other file");
    }

    private int dataNodes() {
        return options.policy.code().n();
    }

    private static String file(String coder) {
        return "/" + coder + "/file";
    }

    private static String directory(String file) {
        return file.substring(0, file.lastIndexOf('/'));
    }
}
