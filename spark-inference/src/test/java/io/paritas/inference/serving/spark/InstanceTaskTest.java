/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.DeviceLostException;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.ProtectedModel;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.screen.LayerScreen;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.serving.trace.Traces;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.junit.jupiter.api.Test;
import scala.reflect.ClassTag$;

class InstanceTaskTest {
    private static final String HOST = "127.0.0.1";
    private static final TensorSpec INPUT = new TensorSpec("input", List.of(2));

    /** The models come just before the kill that nobody waits for them after. */
    @Test
    void modelsThatAreLoadedWhileTheTaskIsKilledAreClosed() {
        Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT);
        CompletableFuture<Map<Role, Model>> loading = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                complete(Map.of(Role.DEPLOYED, model));
                return super.cancel(mayInterrupt);
            }
        };
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> InstanceTask.await(loading)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        float[] row = new float[model.input().size()];
        assertThatThrownBy(() -> model.predict(row))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model with " + model.input() + " is closed: load it again");
    }

    /** An executor ends with a thread that throws what nobody catches. */
    @Test
    void aBroadcastThatCannotBeReadEndsTheTaskOnly() {
        SparkContext context = LocalSpark.session().sparkContext();
        Broadcast<byte[]> lost = context.broadcast(new byte[1], ClassTag$.MODULE$.<byte[]>apply(byte[].class));
        lost.destroy();
        ServedModel served = new ServedModel(
                "linear", "1", INPUT, new TensorSpec("output", List.of(1)), new Policy.Uncoded(), Limits.DEFAULT);
        InstanceSpec spec = new InstanceSpec(
                new ServingHandle(served, HOST, 1),
                "linear-1-deployed-0",
                InstanceSpec.Duty.SERVE,
                Map.of(),
                lost,
                TraceOptions.OFF);
        CompletableFuture<Map<Role, Model>> loading = new CompletableFuture<>();
        InstanceTask.load(spec, Map.of(), loading);
        assertThatThrownBy(() -> InstanceTask.await(loading))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("the model cannot be loaded: ")
                .hasMessageContaining("Attempted to use Broadcast(" + lost.id() + ") after it was destroyed")
                .hasCauseInstanceOf(SparkException.class);
    }

    /** Spark looks for it among the causes, and ends the executor with all of its instances. */
    @Test
    void aModelForWhichThereIsNoMemoryEndsItsTaskOnly() {
        assertThatThrownBy(() -> InstanceTask.await(
                        CompletableFuture.failedFuture(new OutOfMemoryError("Cannot reserve bytes of direct memory"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model cannot be loaded: Cannot reserve bytes of direct memory")
                .hasNoCause();
    }

    private static Model failing(ModelException failure) {
        return new CheckedModel("test", INPUT, new TensorSpec("output", List.of(1)), Device.CPU) {
            @Override
            protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
                throw failure;
            }

            @Override
            protected void free() {}
        };
    }

    private static void fails(TransportClient client, String reason) {
        assertThatThrownBy(() -> client.sendRpcSync(Wire.predict(1, new float[][] {{1, 2}}, ""), 10_000))
                .hasMessageContaining(reason);
    }

    /** So that an executor is found whose served predictions are wrong again and again. */
    @Test
    void checksOfAServedModelCountForItsExecutor() throws Exception {
        LocalSpark.session();
        Screens before = Screens.current();
        LayerScreen screen = new LayerScreen();
        new Screens(before.sampler(), before.recent(), before.stacks(), screen).install();
        AtomicInteger wrong = new AtomicInteger();
        try (Traces traces = Traces.of(TraceOptions.OFF);
                Transport line = new Transport(new NoOpRpcHandler());
                Model model = ProtectedModel.disturbed(
                        TestGraphs.small(1).toModelFile(),
                        Scheme.GLOBAL,
                        layer -> wrong.getAndDecrement() > 0 ? new Overwriting(1000) : Probe.NONE);
                Endpoint endpoint = endpoint(Role.DEPLOYED, model, "checked", traces);
                TransportClient client = line.connect(HOST, endpoint.port())) {
            float[][] rows = {TestGraphs.values(model.input().size())};
            client.sendRpcSync(Wire.predict(1, rows, ""), 10_000);
            assertThat(screen.takeRight()).isEqualTo(1);
            assertThat(screen.takeWrong()).isEmpty();

            wrong.set(1);
            client.sendRpcSync(Wire.predict(2, rows, ""), 10_000);
            assertThat(screen.takeWrong())
                    .as("put right")
                    .singleElement()
                    .satisfies(batch ->
                            assertThat(batch).isEqualTo(new LayerScreen.WrongBatch("a model", 1, batch.layers())))
                    .satisfies(batch -> assertThat(batch.layers()).hasSize(1));

            wrong.set(2);
            assertThatThrownBy(() -> client.sendRpcSync(Wire.predict(3, rows, ""), 10_000))
                    .hasMessageContaining("wrong values were found in");
            assertThat(screen.takeWrong()).as("not answered").hasSize(1);
        } finally {
            before.install();
        }
    }

    /** Writes a value over the first of a layer. */
    private record Overwriting(float value) implements Probe {
        @Override
        public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
            if (row == 0 && column == 0) {
                c[at] = value;
            }
        }
    }

    /** Another instance takes its place. */
    @Test
    void anInstanceWhoseDeviceIsLostEndsWithTheReason() throws Exception {
        LocalSpark.session();
        try (Traces traces = Traces.of(TraceOptions.OFF);
                Transport line = new Transport(new NoOpRpcHandler());
                Model sound = failing(new ModelException("the rows are odd"));
                Model lost = failing(new DeviceLostException("the GPU fell off the bus", null));
                Endpoint first = endpoint(Role.DEPLOYED, sound, "first", traces);
                Endpoint second = endpoint(Role.parity(0), lost, "second", traces);
                TransportClient driver = line.connect(HOST, first.port());
                TransportClient client = line.connect(HOST, second.port())) {
            fails(driver, "the rows are odd");
            assertThat(first.server().lost()).isNotDone();
            fails(client, "the GPU fell off the bus");
            assertThat(second.server().lost()).failsWithin(Duration.ofSeconds(10));
            assertThatThrownBy(() -> InstanceTask.stay(driver, List.of(first, second)))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("the instance can predict nothing any more: the GPU fell off the bus")
                    .hasCauseInstanceOf(DeviceLostException.class);
        }
    }

    @Test
    void anInstanceEndsWithItsConnectionToTheDriver() throws Exception {
        LocalSpark.session();
        try (Traces traces = Traces.of(TraceOptions.OFF);
                Transport line = new Transport(new NoOpRpcHandler());
                Model model = failing(new ModelException("the rows are odd"));
                Endpoint endpoint = endpoint(Role.DEPLOYED, model, "endpoint", traces)) {
            TransportClient driver = line.connect(HOST, endpoint.port());
            driver.close();
            assertThatCode(() -> InstanceTask.stay(driver, List.of(endpoint))).doesNotThrowAnyException();
        }
    }

    @Test
    void nothingIsClosedByATaskThatGetsItsModels() throws InterruptedException {
        try (Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT)) {
            assertThat(InstanceTask.await(CompletableFuture.completedFuture(Map.of(Role.DEPLOYED, model))))
                    .containsEntry(Role.DEPLOYED, model);
            assertThat(model.predict(new float[model.input().size()])).hasSize(3);
        }
    }

    private static Endpoint endpoint(Role role, Model model, String name, Traces traces) {
        return Endpoint.open(role, model, new ModelServer(model, "a model", name, traces), HOST);
    }
}
