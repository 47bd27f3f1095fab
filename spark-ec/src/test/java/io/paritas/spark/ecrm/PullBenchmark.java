/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm;

import io.paritas.spark.ecrm.client.Pull;
import io.paritas.spark.ecrm.client.Worker;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.server.RecoveryPace;
import io.paritas.spark.ecrm.server.ShardServer;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import io.paritas.spark.ecrm.transport.SparkTransport;
import io.paritas.spark.ecrm.transport.Transport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import scala.Option;

/**
 * Time and processor time to pull one block of 64 MiB from a server by {@link SparkTransport}, and to copy as many
 * floats by a socket of the same kind, in parts of 1 MiB. They take turns. No test: it prints.
 *
 * <pre>{@code
 * java -cp <test class path of spark-ec> io.paritas.spark.ecrm.PullBenchmark [rounds]
 * }</pre>
 */
public final class PullBenchmark {
    private static final int FLOATS = 1 << 24;
    private static final int PART = 1 << 18;

    /** What a way to get the floats takes: times and processor times of the whole program, in ms. */
    private static final class Times {
        private final double[] elapsed;
        private final double[] processor;
        private int rounds;

        Times(int rounds) {
            elapsed = new double[rounds];
            processor = new double[rounds];
        }

        void add(long nanos, long processorNanos) {
            elapsed[rounds] = nanos / 1e6;
            processor[rounds++] = processorNanos / 1e6;
        }

        void print(String name) {
            System.out.printf(
                    Locale.ROOT,
                    "%-6s median %.0f ms, least %.0f; of the processors median %.0f, least %.0f%n",
                    name,
                    at(elapsed, rounds),
                    at(elapsed, 0),
                    at(processor, rounds),
                    at(processor, 0));
        }

        /** Returns the least of the second half of the rounds, or their median. */
        private static double at(double[] all, int rounds) {
            double[] warm = Arrays.copyOfRange(all, all.length / 2, all.length);
            Arrays.sort(warm);
            return warm[rounds == 0 ? 0 : warm.length / 2];
        }
    }

    @FunctionalInterface
    private interface Way {
        float[] get() throws IOException, InterruptedException;
    }

    private PullBenchmark() {}

    /** @param arguments the number of rounds (30), of which half warm up */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 30;
        Initializer initial = new Initializer(1, -1, 1);
        ModelSpec model = new ModelSpec(
                1,
                Redundancy.none(),
                List.of(new TableSpec(1, 1, new Optimizer.Sgd(1), initial)),
                List.of(new BlockSpec(FLOATS, new Optimizer.Sgd(1), initial)));
        float[] wanted = InitialState.initial(model).block(0).parameters();
        Times copies = new Times(rounds);
        Times pulls = new Times(rounds);
        try (Copy copy = new Copy(wanted);
                Server server = new Server(model);
                Client client = new Client(model, server.view)) {
            for (int round = 0; round < rounds; round++) {
                time(copies, copy, wanted);
                time(pulls, client, wanted);
            }
        }
        System.out.println("JDK " + Runtime.version() + " "
                + ManagementFactory.getRuntimeMXBean().getInputArguments());
        copies.print("copy");
        pulls.print("pull");
    }

    private static void time(Times times, Way way, float[] wanted) throws IOException, InterruptedException {
        long processor = processorNanos();
        long start = System.nanoTime();
        float[] got = way.get();
        times.add(System.nanoTime() - start, processorNanos() - processor);
        if (!Arrays.equals(got, wanted)) {
            throw new IllegalStateException("other floats arrived than were sent");
        }
    }

    private static long processorNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static Transport transport(Transport.Receiver receiver) {
        SparkConf conf = new SparkConf(false);
        return new SparkTransport(
                conf,
                new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE()),
                "127.0.0.1",
                "127.0.0.1",
                receiver,
                gone -> {});
    }

    /** A parameter server with a thread for its events. */
    private static final class Server implements AutoCloseable {
        private final ExecutorService events = Executors.newSingleThreadExecutor();
        private final Transport transport;
        private final View view;
        private final ShardServer server;

        Server(ModelSpec model) {
            transport = transport((envelope, bytes) -> events.execute(() -> receive(envelope)));
            view = View.of(List.of(transport.endpoint()));
            server = new ShardServer(
                    model,
                    view.address(0),
                    view,
                    Timing.DEFAULT,
                    RecoveryPace.DEFAULT,
                    Optional.of(InitialState.initial(model)),
                    envelope -> transport.send(envelope, ""));
        }

        private void receive(Envelope envelope) {
            server.receive(envelope, 0);
        }

        @Override
        public void close() {
            events.shutdownNow();
            transport.close();
        }
    }

    /** A worker, on the thread of its caller. */
    private static final class Client implements Way, AutoCloseable {
        private final BlockingQueue<Envelope> answers = new LinkedBlockingQueue<>();
        private final Transport transport = transport((envelope, bytes) -> answers.add(envelope));
        private final Worker worker;

        Client(ModelSpec model, View view) {
            worker = new Worker(model, 0, view, Timing.DEFAULT, envelope -> {
                if (envelope.to().isServer()) {
                    transport.send(envelope, view.members().get(0).endpoint());
                }
            });
        }

        private static long now() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        @Override
        public float[] get() throws InterruptedException {
            Pull pull = worker.pullBlocks(new int[] {0}, now());
            while (!pull.isDone()) {
                Envelope answer = answers.poll(20, TimeUnit.MILLISECONDS);
                if (answer != null) {
                    worker.receive(answer, now());
                }
                worker.tick(now());
            }
            return pull.parameters();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    /** A socket whose other end sends the floats whenever it gets a byte. */
    private static final class Copy implements Way, AutoCloseable {
        private final ServerSocketChannel listening =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        private final SocketChannel socket = SocketChannel.open(listening.getLocalAddress());
        private final ByteBuffer part = part();

        Copy(float[] floats) throws IOException {
            SocketChannel other = listening.accept();
            Thread sender = new Thread(() -> {
                ByteBuffer out = part();
                try {
                    while (other.read(ByteBuffer.allocate(1)) > 0) {
                        for (int at = 0; at < FLOATS; at += PART) {
                            out.clear().asFloatBuffer().put(floats, at, PART);
                            while (out.hasRemaining()) {
                                other.write(out);
                            }
                        }
                    }
                } catch (IOException e) {
                    // The program ends.
                }
            });
            sender.setDaemon(true);
            sender.start();
        }

        private static ByteBuffer part() {
            return ByteBuffer.allocateDirect(Float.BYTES * PART).order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public float[] get() throws IOException {
            socket.write(ByteBuffer.allocate(1));
            float[] floats = new float[FLOATS];
            for (int at = 0; at < FLOATS; at += PART) {
                part.clear();
                while (part.hasRemaining()) {
                    if (socket.read(part) < 0) {
                        throw new IOException("the socket was closed");
                    }
                }
                part.flip().asFloatBuffer().get(floats, at, PART);
            }
            return floats;
        }

        @Override
        public void close() throws IOException {
            socket.close();
            listening.close();
        }
    }
}
