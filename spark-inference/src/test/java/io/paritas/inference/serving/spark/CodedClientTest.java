/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.paritas.inference.Logged;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Reply;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.serving.trace.Traces;
import io.paritas.inference.spark.ExactModel;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CodedClientTest {
    private static final ServedModel MODEL = new ServedModel(
            "linear",
            "1",
            new TensorSpec("input", List.of(3)),
            new TensorSpec("output", List.of(2)),
            new Policy.Uncoded(),
            Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)));
    private static final String HOST = "127.0.0.1";
    private static final ExactModel EXACT = ExactModel.of(3, 2, 1);
    private static final float[] ROW = {1, 2, 3};

    /** Lists one instance, as the registry of a driver does. */
    private static final class Driver extends RpcHandler implements AutoCloseable {
        private final List<TransportClient> lines = new CopyOnWriteArrayList<>();
        private final StreamManager streams = new OneForOneStreamManager();
        private final Transport transport = new Transport(this);
        private final TransportServer listener = transport.listen(HOST);
        private final CountDownLatch refused = new CountDownLatch(3);
        private final List<Wire.Registration> others = new CopyOnWriteArrayList<>();
        private volatile Wire.Registration listed;
        private volatile boolean busy;

        ServingHandle handle() {
            return new ServingHandle(MODEL, HOST, listener.getPort());
        }

        @Override
        public void receive(TransportClient line, ByteBuffer message, RpcResponseCallback callback) {
            lines.add(line);
            if (busy) {
                refused.countDown();
                throw new IllegalStateException("busy");
            }
            Map<Instance, Wire.Registration> all = new LinkedHashMap<>();
            others.forEach(other -> all.put(other.instance(other.port()), other));
            if (listed != null) {
                all.put(listed.instance(listed.port()), listed);
            }
            callback.onSuccess(Wire.listed(all));
        }

        void lists(Endpoint instance) {
            listed = new Wire.Registration("linear", "1", "a", Role.DEPLOYED, "1", HOST, instance.port());
        }

        void alsoLists(Unreachable instance) {
            others.add(new Wire.Registration("linear", "1", "b", Role.DEPLOYED, "2", HOST, instance.port()));
        }

        void cut() {
            lines.forEach(line -> line.getChannel().close().syncUninterruptibly());
        }

        @Override
        public StreamManager getStreamManager() {
            return streams;
        }

        @Override
        public void close() {
            listener.close();
            transport.close();
        }
    }

    private static float[] answer(CodedClient client) throws Exception {
        return client.predict("", List.of(ROW)).get(0).get().values();
    }

    /** As by a firewall, which ends a connection and no process. */
    @Test
    void aConnectionToTheDriverThatIsCutIsMadeAgain() throws Exception {
        LocalSpark.session();
        try (Model model = ModelEngines.load(EXACT.file(), ModelOptions.DEFAULT);
                Traces traces = Traces.of(TraceOptions.OFF);
                Driver driver = new Driver();
                Endpoint former = endpoint(Role.DEPLOYED, model, "former", traces);
                Endpoint next = endpoint(Role.DEPLOYED, model, "next", traces)) {
            driver.lists(former);
            try (CodedClient client = CodedClient.open(driver.handle())) {
                assertThat(answer(client)).isEqualTo(EXACT.predict(ROW));

                driver.cut();
                former.close();
                driver.lists(next);
                assertThat(answer(client)).isEqualTo(EXACT.predict(ROW));
            }
        }
    }

    @Test
    void whileTheDriverDoesNotAnswerKnownInstancesAreAskedAndItIsSaidOnce() throws Exception {
        LocalSpark.session();
        try (Model model = ModelEngines.load(EXACT.file(), ModelOptions.DEFAULT);
                Traces traces = Traces.of(TraceOptions.OFF);
                Logged logged = new Logged(CodedClient.class.getName());
                Driver driver = new Driver();
                Endpoint instance = endpoint(Role.DEPLOYED, model, "instance", traces)) {
            driver.lists(instance);
            try (CodedClient client = CodedClient.open(driver.handle())) {
                driver.busy = true;
                driver.refused.await();
                assertThat(answer(client)).isEqualTo(EXACT.predict(ROW));
            }
            assertThat(logged.lines())
                    .containsExactly(
                            "WARN Paritas: the driver does not list the instances of linear, version 1, those"
                                    + " that are known are asked: java.lang.RuntimeException: java.lang.IllegalStateException: busy");
        }
    }

    /** Spark gives up an executor on a host without power after two minutes. */
    @Test
    @Timeout(60)
    void aHostThatIsDownHoldsUpNeitherTheBeginningNorTheEnd() throws Exception {
        LocalSpark.session();
        try (Model model = ModelEngines.load(EXACT.file(), ModelOptions.DEFAULT);
                Traces traces = Traces.of(TraceOptions.OFF);
                Unreachable down = new Unreachable();
                Driver driver = new Driver();
                Endpoint instance = endpoint(Role.DEPLOYED, model, "instance", traces)) {
            driver.alsoLists(down);
            driver.lists(instance);
            try (CodedClient client = CodedClient.open(driver.handle())) {
                assertThat(answer(client)).isEqualTo(EXACT.predict(ROW));
            }
        }
    }

    /** Spark interrupts a task that it kills. */
    @Test
    void whoIsInterruptedWaitsForNoReply() {
        LocalSpark.session();
        try (Driver driver = new Driver();
                CodedClient client = CodedClient.open(driver.handle())) {
            Iterator<Reply> replies = client.predict("", List.of(ROW, ROW).iterator(), 1);

            Thread.currentThread().interrupt();
            try {
                assertThatIllegalStateException()
                        .isThrownBy(replies::next)
                        .withMessage("the thread was interrupted while it waited for a reply");
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
        }
    }

    /** Spark tries a failed task again, on the same executor. */
    @Test
    void aClientThatDoesNotReachTheDriverLeavesNoThread() throws Exception {
        LocalSpark.session();
        long before = threads();

        try (Socket deaf = new Socket()) { // has a port, and does not listen
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ServingHandle nobody = new ServingHandle(MODEL, "127.0.0.1", deaf.getLocalPort());
            for (int attempt = 0; attempt < 4; attempt++) {
                assertThatExceptionOfType(UncheckedIOException.class)
                        .isThrownBy(() -> CodedClient.open(nobody))
                        .withMessageStartingWith("the driver at 127.0.0.1:" + nobody.port()
                                + " does not list the instances of linear, version 1: ");
            }
        }

        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (threads() > before && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(threads()).isLessThanOrEqualTo(before);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("paritas-client"))
                .count();
    }

    private static Endpoint endpoint(Role role, Model model, String name, Traces traces) {
        return Endpoint.open(role, model, new ModelServer(model, "a model", name, traces), HOST);
    }
}
