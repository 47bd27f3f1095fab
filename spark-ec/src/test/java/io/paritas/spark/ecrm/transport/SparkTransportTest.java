/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Codec;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Messages are authenticated and encrypted as Spark's own. */
class SparkTransportTest {
    private final BlockingQueue<Envelope> received = new LinkedBlockingQueue<>();

    private static SparkConf secured(String secret) {
        return new SparkConf(false)
                .set("spark.authenticate", "true")
                .set("spark.authenticate.secret", secret)
                .set("spark.network.crypto.enabled", "true");
    }

    private Transport transport(SparkConf conf) {
        return transport(conf, "127.0.0.1");
    }

    private Transport transport(SparkConf conf, String host) {
        SecurityManager security = new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
        return new SparkTransport(
                conf,
                security,
                "127.0.0.1",
                host,
                (envelope, bytes) -> {
                    assertThat(bytes).isEqualTo(Codec.encode(envelope).remaining());
                    received.add(envelope);
                },
                gone -> {});
    }

    /** Sends until something is received or the time is over. */
    private Envelope send(Transport from, Envelope message, String endpoint, int tries) throws InterruptedException {
        Envelope first = null;
        for (int i = 0; i < tries && first == null; i++) {
            from.send(message, endpoint);
            first = received.poll(100, TimeUnit.MILLISECONDS);
        }
        return first;
    }

    @Test
    void onlyWhoKnowsTheSecretIsHeard() throws InterruptedException {
        Envelope message = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        try (Transport driver = transport(secured("secret"));
                Transport worker = transport(secured("secret"));
                Transport other = transport(secured("another"));
                Transport open = transport(new SparkConf(false))) {
            assertThat(send(other, message, driver.endpoint(), 10)).isNull();
            assertThat(send(open, message, driver.endpoint(), 10)).isNull();
            assertThat(send(worker, message, driver.endpoint(), 600)).isEqualTo(message);
        }
    }

    /** As where no thread can start: the message is lost, which its sender is used to. */
    @Test
    void nothingIsSentOnceItIsClosed() {
        Envelope message = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        Transport worker = transport(new SparkConf(false));
        worker.close();
        assertThatCode(() -> {
                    worker.send(message, "127.0.0.1:1");
                    worker.send(message, "127.0.0.1:1");
                })
                .doesNotThrowAnyException();
    }

    /** One who asks for much repeats it late. */
    @Test
    void theFirstMessageArrives() throws InterruptedException {
        Envelope message = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        try (Transport driver = transport(secured("secret"));
                Transport worker = transport(secured("secret"))) {
            worker.send(message, driver.endpoint());
            assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo(message);
        }
    }

    /** Also if it is answered at once, before the sender knows that it is connected. */
    @Test
    void theSecondMessageArrivesToo() throws InterruptedException {
        try (Transport driver = transport(new SparkConf(false))) {
            for (int round = 0; round < 100; round++) {
                try (Transport worker = transport(new SparkConf(false))) {
                    for (int epoch = 0; epoch < 2; epoch++) {
                        Envelope message = new Envelope(Address.worker(round), Address.DRIVER, epoch, new Fenced(3));
                        worker.send(message, driver.endpoint());
                        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo(message);
                    }
                }
            }
        }
    }

    /** As in a container, where nobody can listen on the name that others know. */
    @Test
    void listensOnOneAddressAndTellsAnother() throws InterruptedException {
        Envelope message = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        try (Transport driver = transport(new SparkConf(false), "name.of.nobody.invalid");
                Transport worker = transport(new SparkConf(false))) {
            assertThat(driver.endpoint()).startsWith("name.of.nobody.invalid:");
            String port = driver.endpoint().substring(driver.endpoint().lastIndexOf(':'));
            assertThat(send(worker, message, "127.0.0.1" + port, 600)).isEqualTo(message);
        }
    }

    /** A heartbeat need not wait for all of it. */
    @Test
    void aLongAnswerArrivesInParts() throws InterruptedException {
        float[] values = new float[3 << 20];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        Envelope hello = new Envelope(Address.worker(1), Address.DRIVER, 2, new Fenced(3));
        Envelope answer = new Envelope(Address.worker(1), Address.DRIVER, 2, new Parameters(4, 5, 0, values));
        try (Transport driver = transport(secured("secret"));
                Transport worker = transport(secured("secret"))) {
            assertThat(send(worker, hello, driver.endpoint(), 600)).isEqualTo(hello);
            worker.send(answer, driver.endpoint());
            worker.send(hello, driver.endpoint());
            int arrived = 0;
            int between = -1;
            while (arrived < values.length) {
                Envelope next = received.poll(60, TimeUnit.SECONDS);
                if (hello.equals(next)) {
                    between = arrived;
                } else {
                    Parameters part = (Parameters) next.message();
                    assertThat(part.request()).isEqualTo(4);
                    assertThat(part.answer()).isEqualTo(5);
                    assertThat(part.first()).isEqualTo(arrived);
                    assertThat(part.values())
                            .hasSizeLessThan(values.length)
                            .isEqualTo(Arrays.copyOfRange(values, arrived, arrived + part.values().length));
                    arrived += part.values().length;
                }
            }
            assertThat(arrived).isEqualTo(values.length);
            assertThat(between).as("the other message was not last").isBetween(1, values.length - 1);
        }
    }
}
