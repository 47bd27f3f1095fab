/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm;

import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Push;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Processor time of the protocol alone, for one iteration of a worker: pulls of rows and blocks, and a push. Five
 * servers and the worker run in one thread, and every message is encoded and decoded; there are no sockets and no
 * neural network. All kinds of redundancy take turns, so that they see the same noise. No test: it prints.
 *
 * <pre>{@code
 * ./mvnw -q -pl spark-ec -am test-compile
 * java -cp <test class path of spark-ec> io.paritas.spark.ecrm.ProtocolBenchmark [thesis|small|recovery] [rounds]
 * }</pre>
 *
 * <p>{@code recovery} replaces a server in each round, and prints the time for one of its units of 264 bytes.
 */
public final class ProtocolBenchmark {
    private static final int SERVERS = 5;
    private static final int K = 4;
    private static final long ROWS = 200_000;
    /** Different rows of a batch of 256 samples with 26 skewed ids each, as in the benchmark of training. */
    private static final int ROWS_OF_BATCH = 3000;

    private static final Optimizer ADAGRAD = new Optimizer.Adagrad(0.01f, 1e-8f);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** A network and the width of its rows. */
    private enum Size {
        /** 13, 512, 256, 128; rows of 128; 1024, 1024, 512, 256, 1. */
        THESIS(
                128,
                13 * 512,
                512,
                512 * 256,
                256,
                256 * 128,
                128,
                256 * 1024,
                1024,
                1024 * 1024,
                1024,
                1024 * 512,
                512,
                512 * 256,
                256,
                256,
                1),
        /** 13, 64, 16; rows of 16; 64, 32, 1. */
        SMALL(16, 13 * 64, 64, 64 * 16, 16, 32 * 64, 64, 64 * 32, 32, 32, 1),
        /** Rows of 32, which have 65 or 68 words with their state. */
        RECOVERY(32);

        private final int width;
        private final int[] blocks;

        Size(int width, int... blocks) {
            this.width = width;
            this.blocks = blocks;
        }

        ModelSpec model(Redundancy redundancy) {
            Initializer initial = new Initializer(1, -0.1f, 0.1f);
            return new ModelSpec(
                    SERVERS,
                    redundancy,
                    List.of(new TableSpec(ROWS, width, ADAGRAD, initial)),
                    IntStream.of(blocks)
                            .mapToObj(size -> new BlockSpec(size, ADAGRAD, initial))
                            .toList());
        }
    }

    /** Nanoseconds by message and activity. */
    private static final class Times {
        private final Map<String, long[]> all = new LinkedHashMap<>();

        void run(String message, int activity, Runnable work) {
            long start = THREADS.getCurrentThreadCpuTime();
            work.run();
            all.computeIfAbsent(message, none -> new long[3])[activity] += THREADS.getCurrentThreadCpuTime() - start;
        }

        void print(int iterations) {
            System.out.println("  ms of an iteration         encode  decode  handle");
            all.forEach((message, nanos) -> System.out.printf(
                    Locale.ROOT,
                    "  %-26s %6.2f  %6.2f  %6.2f%n",
                    message,
                    nanos[0] / 1e6 / iterations,
                    nanos[1] / 1e6 / iterations,
                    nanos[2] / 1e6 / iterations));
        }
    }

    /** Servers, a worker, and the messages between them. */
    private static final class Cluster {
        private final ModelSpec model;
        private final List<ShardServer> servers = new ArrayList<>();
        private final Worker worker;
        private final Queue<ByteBuffer> messages = new ArrayDeque<>();
        private final Random random = new Random(1);
        private final List<Double> millis = new ArrayList<>();
        private Times times = new Times();
        private View view;

        Cluster(ModelSpec model) {
            this.model = model;
            view = View.of(Collections.nCopies(SERVERS, ""));
            for (int server = 0; server < SERVERS; server++) {
                servers.add(new ShardServer(
                        model,
                        view.address(server),
                        view,
                        Timing.DEFAULT,
                        RecoveryPace.DEFAULT,
                        Optional.of(InitialState.initial(model)),
                        this::send));
            }
            worker = new Worker(model, 0, view, Timing.DEFAULT, this::send);
        }

        private void send(Envelope envelope) {
            times.run(name(envelope), 0, () -> messages.add(Codec.encode(envelope)));
        }

        private static String name(Envelope envelope) {
            return envelope.message().getClass().getSimpleName();
        }

        /** Delivers all messages. A message that is sent while another is handled counts for both. */
        private void deliver() {
            while (!messages.isEmpty()) {
                ByteBuffer bytes = messages.remove();
                Envelope[] read = new Envelope[1];
                long start = THREADS.getCurrentThreadCpuTime();
                read[0] = Codec.decode(bytes);
                long decoded = THREADS.getCurrentThreadCpuTime() - start;
                times.all.computeIfAbsent(name(read[0]), none -> new long[3])[1] += decoded;
                times.run(name(read[0]), 2, () -> receive(read[0]));
            }
        }

        private void receive(Envelope envelope) {
            if (envelope.to().equals(Address.DRIVER)) {
                return;
            }
            if (envelope.to().isServer()) {
                servers.get(envelope.to().id()).receive(envelope, 0);
            } else {
                worker.receive(envelope, 0);
            }
        }

        void iterate() {
            long[] rows = random.longs(0, ROWS).distinct().limit(ROWS_OF_BATCH).toArray();
            float[] gradients = new float[rows.length * model.tables().get(0).width()];
            Arrays.fill(gradients, 0.5f);
            List<BlockGradient> blocks = new ArrayList<>();
            for (BlockSpec block : model.blocks()) {
                float[] gradient = new float[block.size()];
                Arrays.fill(gradient, 0.25f);
                blocks.add(new BlockGradient(blocks.size(), gradient));
            }
            int[] all = IntStream.range(0, blocks.size()).toArray();
            long start = THREADS.getCurrentThreadCpuTime();
            Pull pulledRows = worker.pullRows(0, rows, 0);
            Pull pulledBlocks = worker.pullBlocks(all, 0);
            deliver();
            Push push = worker.push(List.of(new RowGradients(0, rows, gradients)), blocks, List.of(), 0, 0);
            deliver();
            millis.add((THREADS.getCurrentThreadCpuTime() - start) / 1e6);
            if (!pulledRows.isDone() || !pulledBlocks.isDone() || !push.isDone() || push.attempts() != 1) {
                throw new IllegalStateException("an iteration must be committed at once, got " + push.attempts()
                        + " attempts: it would not measure what it says");
            }
        }

        /** Replaces the first server; returns how many milliseconds all servers work to recover one of its units. */
        double recover() {
            view = view.without(0).with(0, "");
            ShardServer replacement = new ShardServer(
                    model, view.address(0), view, Timing.DEFAULT, RecoveryPace.DEFAULT, Optional.empty(), this::send);
            servers.set(0, replacement);
            long units = replacement.shard(0).missing();
            long start = THREADS.getCurrentThreadCpuTime();
            for (int server = 1; server < SERVERS; server++) {
                servers.get(server)
                        .receive(new Envelope(Address.DRIVER, view.address(server), view.epoch(), new Fence(view)), 0);
            }
            replacement.start(0);
            deliver();
            if (!replacement.isRecovered() || replacement.hasLost()) {
                throw new IllegalStateException("all " + units + " units must be recovered, "
                        + replacement.shard(0).missing() + " are missing");
            }
            return (THREADS.getCurrentThreadCpuTime() - start) / 1e6 / units;
        }

        /** Forgets what was measured so far. */
        void warm() {
            millis.clear();
            times = new Times();
        }

        double median() {
            return millis.stream().sorted().toList().get(millis.size() / 2);
        }
    }

    private ProtocolBenchmark() {}

    /** @param arguments {@code thesis} or {@code small}, and the number of rounds (50) */
    public static void main(String[] arguments) {
        Size size = Size.valueOf((arguments.length > 0 ? arguments[0] : "thesis").toUpperCase(Locale.ROOT));
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
        Redundancy coded = Redundancy.coded(K);
        if (size == Size.RECOVERY) {
            Cluster cluster = new Cluster(size.model(coded));
            double[] millis = IntStream.range(0, rounds + rounds / 2)
                    .mapToDouble(round -> cluster.recover())
                    .skip(rounds / 2)
                    .sorted()
                    .toArray();
            System.out.printf(
                    Locale.ROOT,
                    "JDK %s %s; a unit is recovered in %.2f us of the processor, least %.2f%n",
                    Runtime.version(),
                    ManagementFactory.getRuntimeMXBean().getInputArguments(),
                    1000 * millis[rounds / 2],
                    1000 * millis[0]);
            cluster.times.print(rounds + rounds / 2);
            return;
        }
        Map<String, Cluster> clusters = new LinkedHashMap<>();
        clusters.put("none", new Cluster(size.model(Redundancy.none())));
        clusters.put("k = 4", new Cluster(size.model(coded)));
        clusters.put("k = 4 - NN", new Cluster(size.model(coded.oneReplicaOfBlocks())));
        clusters.put(
                "k = 4 - NN - 2PC",
                new Cluster(size.model(coded.oneReplicaOfBlocks().onePhase())));
        for (int round = 0; round < rounds / 2 + rounds; round++) {
            if (round == rounds / 2) {
                clusters.values().forEach(Cluster::warm);
            }
            clusters.values().forEach(Cluster::iterate);
        }
        System.out.printf(
                "JDK %s %s; %s; %d rows of %d, %d of them in a batch; %d rounds%n",
                Runtime.version(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                size,
                ROWS,
                size.width,
                ROWS_OF_BATCH,
                rounds);
        clusters.forEach((name, cluster) -> {
            System.out.printf(
                    Locale.ROOT,
                    "%-18s median %.2f ms, least %.2f, %.2f of none%n",
                    name,
                    cluster.median(),
                    Collections.min(cluster.millis),
                    cluster.median() / clusters.get("none").median());
            cluster.times.print(rounds);
        });
    }
}
