/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.parity.InputRange;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Role;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that ask over HTTP and check each answer, while {@link HostileClient}s do their worst and an instance is killed or frozen now
 * and then: no query may be lost, no answer wrong, and nothing may be left. {@link HttpSoakTest} runs a short one. Arguments: queries
 * (1,000,000), seed (1).
 *
 * <pre>{@code
 * java -Xmx512m --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES \
 *     io.paritas.inference.serving.http.HttpSoak 1000000 1
 * }</pre>
 */
public final class HttpSoak implements AutoCloseable {
    private static final int CLIENTS = 4;
    private static final int HOSTILE = 2;
    private static final int DEPLOYED = 4;
    private static final long BETWEEN_ACTS_MICROS = 500;
    private static final long BETWEEN_FAULTS_MILLIS = 100;

    private final long seed;
    private final ExecutorService threads = Executors.newFixedThreadPool(DEPLOYED);
    private final FrontEnd frontEnd = new FrontEnd();
    private final LocalInstances instances = new LocalInstances(frontEnd, threads);
    private final HttpServer server;
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong right = new AtomicLong();
    private final AtomicLong reconstructed = new AtomicLong();
    private final AtomicLong acts = new AtomicLong();
    private final List<String> wrong = new ArrayList<>();

    HttpSoak(long seed) {
        this.seed = seed;
        Limits limits = Limits.DEFAULT.withDeadline(Duration.ofSeconds(30));
        instances.serve("1", limits, DEPLOYED, new InputRange(-200, 200));
        server = new HttpServer(frontEnd, HttpOptions.DEFAULT);
    }

    /** Asks so many queries, and returns when all are answered. */
    void run(long queries) throws InterruptedException {
        left.set(queries);
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> clients = new ArrayList<>();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            clients.add(new Thread(() -> ask(new Random(seed + number))));
        }
        for (int i = 0; i < HOSTILE; i++) {
            long its = seed + 100 + i;
            others.add(new Thread(() -> attack(its, ended)));
        }
        others.add(new Thread(() -> harm(ended)));
        clients.forEach(Thread::start);
        others.forEach(Thread::start);
        for (Thread client : clients) {
            client.join();
        }
        ended.set(true);
        for (Thread other : others) {
            other.join();
        }
    }

    private void ask(Random random) {
        try (Client client = new Client()) {
            while (left.getAndDecrement() > 0) {
                float[] input = {random.nextInt(100), random.nextInt(100), -random.nextInt(100)};
                client.ask(input);
            }
        } catch (IOException e) {
            complain("a connection broke: " + e);
        }
    }

    private void attack(long number, AtomicBoolean ended) {
        try (HostileClient client = new HostileClient(server.url(), number)) {
            while (!ended.get()) {
                client.act();
                TimeUnit.MICROSECONDS.sleep(BETWEEN_ACTS_MICROS);
            }
            acts.addAndGet(client.acts());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One instance at a time is killed or frozen, and comes back: what is left can be reconstructed. */
    private void harm(AtomicBoolean ended) {
        Random random = new Random(seed);
        try {
            while (!ended.get()) {
                int victim = random.nextInt(DEPLOYED);
                if (random.nextBoolean()) {
                    instances.freeze(Role.DEPLOYED, victim);
                } else {
                    instances.lose("1", Role.DEPLOYED, victim);
                }
                TimeUnit.MILLISECONDS.sleep(BETWEEN_FAULTS_MILLIS);
                instances.join("1", Role.DEPLOYED, victim);
                TimeUnit.MILLISECONDS.sleep(BETWEEN_FAULTS_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void complain(String what) {
        wrong.add(what);
    }

    /** A client with one connection, which it keeps. */
    private final class Client implements AutoCloseable {
        private static final String JSON = "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],"
                + "\"parameters\":{\"binary_data_size\":12}}],\"parameters\":{\"binary_data_output\":true}}";
        private static final byte[] HEAD = ("POST /v2/models/linear/infer HTTP/1.1\r\nHost: localhost\r\n"
                        + Answer.JSON_LENGTH + ": " + JSON.length() + "\r\nContent-Length: " + (JSON.length() + 12)
                        + "\r\n\r\n" + JSON)
                .getBytes(StandardCharsets.US_ASCII);

        private final Socket socket;
        private final DataInputStream in;

        Client() throws IOException {
            URI url = URI.create(server.url());
            socket = new Socket(url.getHost(), url.getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        }

        void ask(float[] input) throws IOException {
            ByteBuffer message = ByteBuffer.allocate(HEAD.length + 12).order(ByteOrder.LITTLE_ENDIAN);
            message.put(HEAD);
            for (float value : input) {
                message.putFloat(value);
            }
            socket.getOutputStream().write(message.array());
            String status = line();
            String outcome = "";
            int length = 0;
            for (String header = line(); !header.isEmpty(); header = line()) {
                String[] parts = header.toLowerCase(java.util.Locale.ROOT).split(": ", 2);
                if (parts[0].equals("content-length")) {
                    length = Integer.parseInt(parts[1]);
                } else if (parts[0].equals("paritas-outcome")) {
                    outcome = parts[1];
                }
            }
            byte[] body = in.readNBytes(length);
            check(input, status, outcome, body);
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
                if (next != '\r') {
                    line.append((char) next);
                }
            }
            return line.toString();
        }

        private void check(float[] input, String status, String outcome, byte[] body) {
            float[] expected = LocalInstances.MODEL.predict(input);
            if (!status.equals("HTTP/1.1 200 OK")) {
                complain(Arrays.toString(input) + " got " + status + " " + new String(body, StandardCharsets.UTF_8));
                return;
            }
            ByteBuffer values =
                    ByteBuffer.wrap(body, body.length - 8, 8).slice().order(ByteOrder.LITTLE_ENDIAN);
            if (values.getFloat() != expected[0] || values.getFloat() != expected[1]) {
                complain(Arrays.toString(input) + " got other values than " + Arrays.toString(expected));
                return;
            }
            right.incrementAndGet();
            if (outcome.equals("reconstructed")) {
                reconstructed.incrementAndGet();
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    long right() {
        return right.get();
    }

    long acts() {
        return acts.get();
    }

    /** What clients were told that is not so; what they were not told. */
    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** Waits until nothing is left of queries; returns how much is. */
    int settle() throws InterruptedException {
        int kept = frontEnd.status("linear", "").backlog().unanswered();
        for (int tries = 0; kept > 0 && tries < 4_000; tries++) {
            TimeUnit.MILLISECONDS.sleep(10);
            kept = frontEnd.status("linear", "").backlog().unanswered();
        }
        return kept;
    }

    @Override
    public void close() {
        server.close();
        frontEnd.close();
        threads.shutdownNow();
    }

    public static void main(String[] arguments) throws InterruptedException {
        long queries = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1_000_000;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        long start = System.nanoTime();
        try (HttpSoak soak = new HttpSoak(seed)) {
            soak.run(queries / 10);
            int left = soak.settle();
            long before = used();
            soak.run(queries - queries / 10);
            left += soak.settle();
            System.out.printf(
                    "%,d queries in %.0f s, seed %d: %,d right (%,d reconstructed), wrong or lost %s, left %d,"
                            + " %,d hostile acts, heap %.1f MiB after a tenth, %.1f MiB at the end%n",
                    queries,
                    (System.nanoTime() - start) / 1e9,
                    seed,
                    soak.right(),
                    soak.reconstructed.get(),
                    soak.wrong().size() + " " + soak.wrong().stream().limit(5).toList(),
                    left,
                    soak.acts(),
                    before / 1048576.0,
                    used() / 1048576.0);
        }
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
