/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.io.erasurecode.ErasureCodeNative;
import org.apache.hadoop.io.erasurecode.rawcoder.MeteredCoders;

/** One process of {@link HdfsBenchmark}: the coders take turns on one cluster. */
final class HdfsBenchmarkRun implements AutoCloseable {
    private static final ErasureCodingPolicy POLICY =
            SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_6_3_POLICY_ID);
    private static final int SPARES = 1;
    private static final long BLOCK = 32L << 20;
    private static final int BUFFER = 1 << 20;
    private static final int BYTES = Integer.getInteger("bench.mib") << 20;
    private static final int ROUNDS = Integer.getInteger("bench.rounds");
    private static final int WARM_UP = 2;
    private static final int OPENS = 3;
    private static final double GIB = 1 << 30;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** One turn of a coder. All times are in seconds. */
    private record Turn(double bytes, double wall, double process, double coder) {}

    /** Something that is measured; returns its bytes and, where the clock says too much, its own seconds. */
    private interface Work {
        double[] run(MeteredCoders coder) throws Exception;
    }

    private final EcCluster hdfs;
    private final byte[] content = Seeded.bytes("content", POLICY.getNumDataUnits() * POLICY.getCellSize());
    private final Map<MeteredCoders, DistributedFileSystem> clients = new LinkedHashMap<>();

    private HdfsBenchmarkRun() throws Exception {
        Configuration settings = new Configuration(false);
        settings.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK);
        settings.setInt(
                DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_STRIPED_READ_BUFFER_SIZE_KEY,
                DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_STRIPED_READ_BUFFER_SIZE_DEFAULT);
        List<MeteredCoders> coders = register();
        this.hdfs = EcCluster.start(POLICY, Coder.PARITAS, SPARES, settings);
        for (MeteredCoders coder : coders) {
            clients.put(coder, hdfs.client(coder.getCoderName()));
        }
    }

    /** Makes HDFS know the metered coders, and names those that this process cannot have. */
    private static List<MeteredCoders> register() throws Exception {
        List<MeteredCoders> coders = new ArrayList<>();
        for (String name : List.of("rs_java", "rs_paritas", "rs_native")) {
            if (name.equals("rs_native") && !ErasureCodeNative.isNativeCodeLoaded()) {
                System.out.println("rs_native is left out: " + ErasureCodeNative.getLoadingFailureReason() + "\n");
            } else {
                coders.add(new MeteredCoders(
                        CodecRegistry.getInstance().getCoderByName(ErasureCodeConstants.RS_CODEC_NAME, name)));
            }
        }
        Method update = CodecRegistry.class.getDeclaredMethod("updateCoders", Iterable.class);
        update.setAccessible(true);
        update.invoke(CodecRegistry.getInstance(), coders);
        return coders;
    }

    public static void main(String... arguments) throws Exception {
        try (HdfsBenchmarkRun run = new HdfsBenchmarkRun()) {
            run.measure();
        }
        System.exit(0); // threads of HDFS live on
    }

    private void measure() throws Exception {
        System.out.println("| operation | coder | MB/s | CPU s/GiB, all of HDFS | coder's CPU ms/GiB | its share |");
        System.out.println("|---|---|---:|---:|---:|---:|");
        report("write", coder -> {
            Path file = new Path("/" + coder.getCoderName());
            write(coder, file);
            clients.get(coder).delete(file, false);
            return new double[] {BYTES};
        });
        Path file = new Path("/file");
        write(clients.keySet().iterator().next(), file);
        hdfs.awaitAllUnits(file);
        report("rebuild one unit", coder -> rebuild(coder, file));
        hdfs.killHolders(file, 0);
        report("read, one DataNode lost", coder -> read(coder, file));
        firstByte(file);
        hdfs.killHolders(file, 1, 2);
        report("read, three DataNodes lost", coder -> read(coder, file));
        clients.keySet()
                .forEach(coder -> System.out.printf(
                        "%n%s was called %,d times, %,d times on direct buffers.",
                        name(coder), coder.calls(), coder.directCalls()));
        System.out.println();
    }

    private void write(MeteredCoders coder, Path file) throws Exception {
        try (FSDataOutputStream out = clients.get(coder).create(file, true)) {
            for (int written = 0; written < BYTES; written += content.length) {
                out.write(content, 0, Math.min(content.length, BYTES - written));
            }
        }
    }

    private double[] read(MeteredCoders coder, Path file) throws Exception {
        byte[] buffer = new byte[BUFFER];
        int total = 0;
        try (FSDataInputStream in = clients.get(coder).open(file)) {
            for (int size = in.read(buffer); size >= 0; size = in.read(buffer)) {
                int at = total % content.length;
                if (size > 0 && buffer[size - 1] != content[(at + size - 1) % content.length]) {
                    throw new AssertionError(coder.getCoderName() + " reads wrong bytes before " + (total + size));
                }
                total += size;
            }
        }
        if (total != BYTES) {
            throw new AssertionError(coder.getCoderName() + " read " + total + " bytes of " + BYTES);
        }
        return new double[] {total};
    }

    /** The time is that of the tasks alone: the NameNode hands them out in heartbeats. */
    private double[] rebuild(MeteredCoders coder, Path file) throws Exception {
        hdfs.rebuildWith(coder.getCoderName());
        long written = hdfs.counter("EcReconstructionBytesWritten");
        double before = taskMillis();
        List<LocatedStripedBlock> groups = hdfs.groups(file);
        for (LocatedStripedBlock group : groups) {
            hdfs.drop(group, 0);
        }
        hdfs.awaitCounter("EcReconstructionBytesWritten", written + BYTES / POLICY.getNumDataUnits());
        hdfs.awaitAllUnits(file);
        double rebuilt = hdfs.counter("EcReconstructionBytesWritten") - written;
        return new double[] {rebuilt, (taskMillis() - before) / 1e3};
    }

    private double taskMillis() {
        return hdfs.counter("EcReconstructionReadTimeMillis")
                + hdfs.counter("EcReconstructionDecodingTimeMillis")
                + hdfs.counter("EcReconstructionWriteTimeMillis");
    }

    private void firstByte(Path file) throws Exception {
        Map<MeteredCoders, List<Double>> millis = new LinkedHashMap<>();
        for (int round = 0; round < OPENS * (WARM_UP + ROUNDS); round++) {
            for (MeteredCoders coder : clients.keySet()) {
                long start = System.nanoTime();
                try (FSDataInputStream in = clients.get(coder).open(file)) {
                    in.read();
                    millis.computeIfAbsent(coder, unused -> new ArrayList<>()).add((System.nanoTime() - start) / 1e6);
                }
            }
        }
        millis.forEach((coder, all) -> System.out.printf(
                Locale.ROOT,
                "| first byte, one DataNode lost | %s | %.1f ms | | | |%n",
                name(coder),
                median(all.subList(WARM_UP, all.size()), value -> value)));
    }

    private void report(String operation, Work work) throws Exception {
        Map<MeteredCoders, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            for (MeteredCoders coder : clients.keySet()) {
                Turn turn = turn(coder, work);
                if (round >= WARM_UP) {
                    turns.computeIfAbsent(coder, unused -> new ArrayList<>()).add(turn);
                }
            }
        }
        turns.forEach((coder, all) -> System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.0f | %.2f | %.1f | %.1f %% |%n",
                operation,
                name(coder),
                median(all, turn -> turn.bytes / turn.wall / 1e6),
                median(all, turn -> turn.process / turn.bytes * GIB),
                median(all, turn -> turn.coder / turn.bytes * GIB * 1e3),
                median(all, turn -> turn.coder / turn.process * 1e2)));
    }

    private static String name(MeteredCoders coder) {
        return "`" + coder.getCoderName().replace("_metered", "") + "`";
    }

    private static Turn turn(MeteredCoders coder, Work work) throws Exception {
        long start = System.nanoTime();
        long process = SYSTEM.getProcessCpuTime();
        long meter = coder.nanos();
        double[] done = work.run(coder);
        double wall = (System.nanoTime() - start) / 1e9;
        return new Turn(
                done[0],
                done.length > 1 ? done[1] : wall,
                (SYSTEM.getProcessCpuTime() - process) / 1e9,
                (coder.nanos() - meter) / 1e9);
    }

    private static <T> double median(List<T> values, ToDoubleFunction<T> value) {
        double[] sorted = values.stream().mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    @Override
    public void close() throws Exception {
        hdfs.rebuildWith("rs_paritas,rs_java");
        hdfs.close();
    }
}
