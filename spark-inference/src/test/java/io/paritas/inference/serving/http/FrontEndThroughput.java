/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.sun.management.OperatingSystemMXBean;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Link;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * What a query of LeNet-5's size (784 values in, 10 out, as bytes) costs a front end over HTTP: instances answer at once with zeros, clients
 * are another process on as many connections as asked. It prints the rate, and the processor time of the front end for a query, which other
 * work on the machine touches little. Arguments: policy none or coded, queries (200,000), connections (16).
 *
 * <pre>{@code
 * java -XX:+UseG1GC -XX:MaxGCPauseMillis=5 --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES \
 *     io.paritas.inference.serving.http.FrontEndThroughput none 200000 16
 * }</pre>
 */
public final class FrontEndThroughput {
    private static final int INPUTS = 784;
    private static final int OUTPUTS = 10;
    private static final int INSTANCES = 4;
    private static final String NAME = "lenet";

    private FrontEndThroughput() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("client")) {
            ask(URI.create(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
            return;
        }
        boolean coded = arguments.length > 0 && arguments[0].equals("coded");
        int queries = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200_000;
        int connections = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 16;
        try (FrontEnd frontEnd = new FrontEnd();
                HttpServer server = new HttpServer(frontEnd, HttpOptions.DEFAULT)) {
            serve(frontEnd, coded);
            client(server, queries, connections); // warms up
            long cpu = cpu();
            long collected = collected();
            long start = System.nanoTime();
            client(server, queries, connections);
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%s, %,d queries on %d connections: %.1f us of processor time of the front end for a query, %d ms in"
                            + " collections, %,.0f queries/s with the start of the client%n",
                    coded ? "coded" : "uncoded",
                    queries,
                    connections,
                    (cpu() - cpu) / 1e3 / queries,
                    collected() - collected,
                    queries / seconds);
        }
    }

    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long collected() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private static void serve(FrontEnd frontEnd, boolean coded) {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        Policy policy = coded
                ? new Policy.Coded(new Code(plan, 1, List.of(1, 28, 28)), Duration.ofMillis(2), 2)
                : new Policy.Uncoded();
        frontEnd.add(new ServedModel(
                NAME,
                "1",
                new TensorSpec("input", List.of(1, 28, 28)),
                new TensorSpec("output", List.of(OUTPUTS)),
                policy,
                Limits.DEFAULT.withDeadline(Duration.ofMinutes(1))));
        policy.roles().forEach(role -> IntStream.range(0, role.equals(Role.DEPLOYED) ? INSTANCES : INSTANCES / 2)
                .forEach(i -> frontEnd.join(NAME, "1", new Instance(role + "/" + i, 0, role, "here"), new AtOnce())));
    }

    private static final class AtOnce implements Link {
        @Override
        public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
            return CompletableFuture.completedFuture(new float[inputs.length][OUTPUTS]);
        }

        @Override
        public void cancel(long batch) {}
    }

    private static void client(HttpServer server, int queries, int connections) throws Exception {
        Process client = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FrontEndThroughput.class.getName(),
                        "client",
                        server.url(),
                        String.valueOf(queries),
                        String.valueOf(connections))
                .inheritIO()
                .start();
        if (client.waitFor() != 0) {
            throw new IllegalStateException("the client failed");
        }
    }

    private static void ask(URI url, int queries, int connections) throws InterruptedException {
        byte[] request = request();
        AtomicInteger left = new AtomicInteger(queries);
        long[] latencies = new long[queries];
        long start = System.nanoTime();
        List<Thread> threads = IntStream.range(0, connections)
                .mapToObj(i -> new Thread(() -> ask(url, request, left, latencies)))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        Arrays.sort(latencies);
        System.out.printf(
                Locale.ROOT,
                "client: %,.0f queries/s, p50 %.2f ms, p99 %.2f ms%n",
                queries / seconds,
                latencies[queries / 2] / 1e6,
                latencies[queries / 100 * 99] / 1e6);
    }

    private static byte[] request() {
        String json = "{\"inputs\":[{\"name\":\"input\",\"shape\":[1,1,28,28],\"datatype\":\"FP32\",\"parameters\":"
                + "{\"binary_data_size\":" + INPUTS * Float.BYTES + "}}],\"parameters\":{\"binary_data_output\":true}}";
        String head =
                "POST /v2/models/" + NAME + "/infer HTTP/1.1\r\nHost: localhost\r\nInference-Header-Content-Length: "
                        + json.length() + "\r\nContent-Length: " + (json.length() + INPUTS * Float.BYTES) + "\r\n\r\n";
        byte[] text = (head + json).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(text.length + INPUTS * Float.BYTES).put(text).array();
    }

    private static void ask(URI url, byte[] request, AtomicInteger left, long[] latencies) {
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            for (int query = left.decrementAndGet(); query >= 0; query = left.decrementAndGet()) {
                long start = System.nanoTime();
                socket.getOutputStream().write(request);
                read(in);
                latencies[query] = System.nanoTime() - start;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void read(DataInputStream in) throws IOException {
        String status = line(in);
        if (!status.startsWith("HTTP/1.1 200 ")) {
            throw new IOException("must be answered with 200, got " + status);
        }
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            String name = line.toLowerCase(Locale.ROOT);
            length = name.startsWith("content-length: ") ? Integer.parseInt(name.substring(16)) : length;
        }
        in.skipNBytes(length);
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }
}
