/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Logged;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Who answers for an instance, by the connections that begin and end. */
class RegistryTest {
    private static final String HOST = "127.0.0.1";
    private static final int TRIES = 50;
    private static final String INSTANCE = "linear-1-deployed-0";
    private static final ServedModel MODEL = new ServedModel(
            "linear",
            "1",
            new TensorSpec("input", List.of(3)),
            new TensorSpec("output", List.of(2)),
            new Policy.Uncoded(),
            Limits.DEFAULT);

    private final FrontEnd frontEnd = new FrontEnd();
    private Transport transport;
    private TransportServer instances;
    private Registry registry;

    @BeforeEach
    void registry() {
        LocalSpark.session();
        transport = new Transport(new NoOpRpcHandler());
        instances = transport.listen(HOST);
        registry = new Registry(frontEnd, HOST, HOST);
        frontEnd.add(MODEL);
        registry.expect(INSTANCE);
    }

    @AfterEach
    void end() {
        registry.close();
        instances.close();
        transport.close();
        frontEnd.close();
    }

    private Wire.Registration on(String executor, String instance) {
        return new Wire.Registration(
                MODEL.name(), MODEL.version(), instance, Role.DEPLOYED, executor, HOST, instances.getPort());
    }

    private TransportClient send(ByteBuffer message) throws IOException {
        TransportClient line = transport.connect(HOST, registry.port());
        line.sendRpcSync(message, TimeUnit.SECONDS.toMillis(30));
        return line;
    }

    private void awaitOn(String executor) throws InterruptedException {
        for (int times = 0; times < 500 && !places().equals(List.of(place(executor))); times++) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(places()).containsExactly(place(executor));
    }

    private List<String> places() {
        return frontEnd.status("linear", "1").instances().keySet().stream()
                .map(Instance::where)
                .toList();
    }

    private static String place(String executor) {
        return "executor " + executor + " on " + HOST;
    }

    /** Of an address that is another machine's, as where Spark's settings name a wrong one. Whoever makes it may try again. */
    @Test
    void aRegistryThatCannotListenKeepsNoDescriptor() throws Exception {
        Descriptors.requireNoneKept(TRIES, () -> new Registry(frontEnd, "192.0.2.1", HOST));
    }

    /** A machine without power ends no connection, which is found out minutes after its instance is back elsewhere. */
    @Test
    void theConnectionOfAReplacedInstanceEndsWithoutALoss() throws Exception {
        TransportClient former = send(Wire.register(on("1", INSTANCE)));
        TransportClient next = send(Wire.register(on("2", INSTANCE)));
        send(Wire.standBy(on("3", "linear-1-spare-0")));

        assertThat(registry.executors(MODEL).values()).containsExactly("2");
        former.getChannel().closeFuture().await(30, TimeUnit.SECONDS);
        assertThat(former.isActive()).isFalse();
        assertThat(places()).containsExactly(place("2"));

        next.close();
        awaitOn("3");
        send(Wire.register(on("4", INSTANCE)));
        awaitOn("4");
    }

    /** The driver tries to connect to it for two minutes. */
    @Test
    void anInstanceThatTheDriverDoesNotReachHoldsUpNoOther() throws Exception {
        try (Unreachable port = new Unreachable()) {
            Wire.Registration blocked = new Wire.Registration(
                    MODEL.name(), MODEL.version(), "linear-1-deployed-1", Role.DEPLOYED, "1", HOST, port.port());
            TransportClient line = transport.connect(HOST, registry.port());
            line.sendRpc(Wire.register(blocked), new RpcResponseCallback() {
                @Override
                public void onSuccess(ByteBuffer answer) {
                    // it is not reached
                }

                @Override
                public void onFailure(Throwable failure) {
                    // the registry is closed
                }
            });
            send(Wire.register(on("2", INSTANCE)));
            assertThat(places()).containsExactly(place("2"));
        }
    }

    @Test
    void whyAnInstanceDoesNotJoinIsInTheLogOfTheDriver() throws Exception {
        Wire.Registration ended = on("1", INSTANCE);
        instances.close();
        try (Logged logged = new Logged(Registry.class.getName())) {
            assertThatThrownBy(() -> send(Wire.register(ended))).hasMessageContaining("Failed to connect");
            assertThat(logged.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN Paritas: " + INSTANCE + " at " + HOST + ":" + ended.port()
                            + " does not join: java.io.IOException: Failed to connect");
        }
    }

    /** As when a host is lost. The two threads that read answers must not wait for each other to close connections. */
    @RepeatedTest(5)
    void instancesThatAreLostTogetherAreMissedAtOnce() throws Exception {
        List<TransportClient> lines = new ArrayList<>();
        for (int number = 0; number < 8; number++) {
            lines.add(send(Wire.register(on("1", "linear-1-deployed-" + number))));
        }
        assertThat(places()).hasSize(8);
        long start = System.nanoTime();
        instances.close();
        lines.forEach(TransportClient::close);
        while (!places().isEmpty()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
