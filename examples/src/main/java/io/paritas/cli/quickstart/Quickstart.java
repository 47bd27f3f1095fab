/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.cli.quickstart.Progress.Timed;
import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The run: a cluster starts, stores a file, loses DataNodes, still reads the file, and repairs itself. */
final class Quickstart {
    /** The file that the client with {@code rs_paritas} writes. */
    static final String FILE = file(Settings.RS_PARITAS);

    /** The file that the client with {@code rs_java} writes. */
    static final String JAVA_FILE = file(Settings.RS_JAVA);

    private static final int RANGES = 32;

    /** The local file, its policy, and the seed of the random ranges. */
    record Options(Path file, Policy policy, long seed) {
        /** The length of the file. */
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
                        Locale.ROOT,
                        "%s: a NameNode and %d DataNodes on JDK %s, %d processors",
                        options.policy,
                        dataNodes(),
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors()),
                progress);
    }

    /**
     * Runs everything, and returns the report.
     *
     * @throws CheckFailed if a check fails
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

    /** Has each client write a file of its own. */
    private String write(Duel duel) throws Exception {
        for (String file : List.of(FILE, JAVA_FILE)) {
            duel.paritas().makeDirectory(directory(file), options.policy);
        }
        return report.duel(
                        "write " + Report.megabytes(options.bytes()),
                        () -> duel.run((client, coder) -> client.write(options.file, file(coder))))
                .sha256();
    }

    /** Has both clients read the same file, so that both decode the same. */
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

    /** Computes each file's parity again, by the other coder. */
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
