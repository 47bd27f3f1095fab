/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;

/** What others see of messages on the network, by Spark's settings. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class EncryptedTransportTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path folder;

    private final BlockingQueue<Envelope> received = new LinkedBlockingQueue<>();

    @BeforeAll
    static void makesKeys() throws Exception {
        for (String name : new String[] {"ours", "another"}) {
            Path log = folder.resolve(name + ".log");
            Process made = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-keystore",
                            store(name),
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            PASSWORD,
                            "-alias",
                            name,
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=" + name,
                            "-ext",
                            "san=ip:127.0.0.1")
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            assertThat(made.waitFor()).as(Files.readString(log)).isZero();
        }
    }

    private static String store(String name) {
        return folder.resolve(name + ".p12").toString();
    }

    /** Its own certificate is the one that it trusts. */
    private static SparkConf tls(SparkConf conf, String name) {
        return conf.set("spark.ssl.rpc.enabled", "true")
                .set("spark.ssl.rpc.protocol", "TLSv1.3")
                .set("spark.ssl.rpc.keyStore", store(name))
                .set("spark.ssl.rpc.keyStoreType", "PKCS12")
                .set("spark.ssl.rpc.keyStorePassword", PASSWORD)
                .set("spark.ssl.rpc.keyPassword", PASSWORD)
                .set("spark.ssl.rpc.trustStore", store(name))
                .set("spark.ssl.rpc.trustStoreType", "PKCS12")
                .set("spark.ssl.rpc.trustStorePassword", PASSWORD);
    }

    private static SparkConf settings(boolean authenticate, boolean crypto, boolean tls) {
        SparkConf conf = new SparkConf(false);
        if (authenticate) {
            conf.set("spark.authenticate", "true").set("spark.authenticate.secret", "secret");
        }
        if (crypto) {
            conf.set("spark.network.crypto.enabled", "true").set("spark.network.crypto.saslFallback", "false");
        }
        return tls ? tls(conf, "ours") : conf;
    }

    private Transport transport(SparkConf conf) {
        SecurityManager security = new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
        return new SparkTransport(
                conf, security, "127.0.0.1", "127.0.0.1", (envelope, bytes) -> received.add(envelope), gone -> {});
    }

    /** Both ways of one connection, in several parts. */
    @ParameterizedTest
    @CsvSource({
        "false, false, false, true",
        "true, false, false, true",
        "true, true, false, false",
        "false, false, true, false",
        "true, false, true, false",
        "true, true, true, false"
    })
    void parametersAreSeenOnlyWhereNothingEncrypts(boolean authenticate, boolean crypto, boolean tls, boolean seen)
            throws Exception {
        float[] values = new float[1 << 20];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        Envelope hello = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        Envelope asked = new Envelope(Address.worker(1), Address.DRIVER, 2, new Parameters(4, 5, 0, values));
        Envelope answer = new Envelope(Address.DRIVER, Address.worker(1), 2, new Parameters(4, 5, 0, values));
        try (Transport driver = transport(settings(authenticate, crypto, tls));
                Transport worker = transport(settings(authenticate, crypto, tls));
                Tap tap = new Tap(driver.endpoint())) {
            worker.send(hello, tap.endpoint());
            assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo(hello);
            worker.send(asked, tap.endpoint());
            arrives(values);
            driver.send(answer, "");
            arrives(values);
            assertThat(tap.saw(values)).isEqualTo(seen ? 2 : 0);
        }
    }

    private void arrives(float[] values) throws InterruptedException {
        for (int arrived = 0; arrived < values.length; ) {
            Envelope next = received.poll(60, TimeUnit.SECONDS);
            assertThat(next).as("part at " + arrived).isNotNull();
            Parameters part = (Parameters) next.message();
            assertThat(part.first()).isEqualTo(arrived);
            assertThat(part.values()).isEqualTo(Arrays.copyOfRange(values, arrived, arrived + part.values().length));
            arrived += part.values().length;
        }
    }

    /** Each of the others lacks one thing. */
    @Test
    void onlyWhoHasTheSecretAndSpeaksTlsIsHeard() throws InterruptedException {
        Envelope message = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        try (Transport driver = transport(settings(true, true, true));
                Transport worker = transport(settings(true, true, true));
                Transport plain = transport(settings(true, true, false));
                Transport open = transport(settings(false, false, true));
                Transport guesser = transport(settings(true, true, true).set("spark.authenticate.secret", "another"));
                Transport distrustful = transport(tls(settings(true, true, false), "another"))) {
            for (Transport other : new Transport[] {plain, open, guesser, distrustful}) {
                for (int i = 0; i < 10; i++) {
                    other.send(message, driver.endpoint());
                    assertThat(received.poll(100, TimeUnit.MILLISECONDS)).isNull();
                }
            }
            worker.send(message, driver.endpoint());
            assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo(message);
        }
    }

    /** Passes one connection on, and keeps what goes through it. */
    private static final class Tap implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final ByteArrayOutputStream there = new ByteArrayOutputStream();
        private final ByteArrayOutputStream back = new ByteArrayOutputStream();

        Tap(String endpoint) throws IOException {
            int port = Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
            start(() -> {
                try (Socket from = server.accept();
                        Socket to = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    Thread other = start(() -> pass(to, from, back));
                    pass(from, to, there);
                    other.join();
                }
            });
        }

        private interface Task {
            void run() throws Exception;
        }

        private static Thread start(Task task) {
            Thread thread = new Thread(() -> {
                try {
                    task.run();
                } catch (Exception e) {
                    // The connection is over.
                }
            });
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        private static void pass(Socket from, Socket to, ByteArrayOutputStream kept) throws IOException {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[1 << 16];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                kept.write(bytes, 0, length);
                out.write(bytes, 0, length);
            }
        }

        String endpoint() {
            return "127.0.0.1:" + server.getLocalPort();
        }

        /** Counts the directions in which the first of these values were seen. */
        int saw(float[] values) {
            Envelope some = new Envelope(
                    Address.DRIVER, Address.DRIVER, 2, new Parameters(4, 5, 0, Arrays.copyOf(values, 100)));
            ByteBuffer encoded = Codec.encode(some);
            byte[] end = new byte[200];
            encoded.get(encoded.limit() - end.length, end);
            String wanted = new String(end, StandardCharsets.ISO_8859_1);
            int seen = 0;
            for (ByteArrayOutputStream way : new ByteArrayOutputStream[] {there, back}) {
                assertThat(way.size()).isGreaterThan(4 * values.length);
                seen += way.toString(StandardCharsets.ISO_8859_1).contains(wanted) ? 1 : 0;
            }
            return seen;
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
