/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.inference.Hardware;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.gemm.Probe;
import io.paritas.inference.protect.gemm.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProtectedModelTest {
    private static final ModelFile FILE = TestGraphs.small(1).toModelFile();
    private static final float[] INPUTS = TestGraphs.values(7 * 64);

    private final LayerFindings found = LayerFindings.open();

    @AfterEach
    void close() {
        found.close();
        FaultInjection.disarm();
    }

    /** Sets the first value of a layer to 1000, so many times. */
    private static LayerProbes wrong(int layer, int times) {
        AtomicInteger left = new AtomicInteger(times);
        return asked -> asked != layer
                ? Probe.NONE
                : new Probe() {
                    @Override
                    public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                        if (row == 0 && column == 0 && left.getAndDecrement() > 0) {
                            c[at] = 1000;
                        }
                    }
                };
    }

    /** What a JVM has, and computes with it. */
    private record Computed(String kind, String predictions) {
        static Computed here() {
            try (ProtectedModel model = ProtectedModel.disturbed(FILE, Scheme.NONE, LayerProbes.NONE)) {
                return new Computed(model.hardware().kind(), Arrays.toString(model.predict(INPUTS)));
            }
        }

        /** The same, of a JVM with these flags and no others. */
        static Computed with(Path file, String... flags) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
            command.addAll(List.of(flags));
            command.addAll(
                    List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), file.toString()));
            Process other = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(other.waitFor()).isZero();
            List<String> lines = Files.readAllLines(file);
            return new Computed(lines.get(0), lines.get(1));
        }
    }

    /** Writes {@link Computed} to a file. */
    static final class Main {
        public static void main(String[] arguments) throws IOException {
            Computed here = Computed.here();
            Files.write(Path.of(arguments[0]), List.of(here.kind, here.predictions));
        }
    }

    /** Screening takes those of one kind with other bits for wrong. The JVM of the tests may compute in plain Java: vectors need C2. */
    @Test
    void vectorsAndPlainJavaAreTwoKinds(@TempDir Path folder) throws Exception {
        Computed plain = Computed.with(folder.resolve("plain"), "-Dio.paritas.kernel=plain");
        Computed vectors = Computed.with(folder.resolve("vectors"), "--add-modules=jdk.incubator.vector");

        assertThat(plain.kind).isEqualTo(Hardware.PROCESSOR.kind() + " with protected in plain Java");
        assertThat(Computed.here()).isIn(plain, vectors);
        assumeTrue(!vectors.predictions.equals(plain.predictions), "skipped: vectors are slow on this processor");
        assertThat(vectors.kind).isEqualTo(Hardware.PROCESSOR.kind() + " with protected in vectors");
    }

    @ParameterizedTest
    @EnumSource(value = Scheme.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aFaultIsFoundAndTheLayerComputedOnceMore(Scheme scheme) {
        float[] expected = predict(Scheme.NONE, LayerProbes.NONE);
        for (int layer = 0; layer < 3; layer++) {
            assertThat(predict(scheme, wrong(layer, 1))).containsExactly(expected);
            assertThat(found.counts().detections()).isEqualTo(layer + 1);
            assertThat(found.counts().recomputations()).isEqualTo(layer + 1);
        }
    }

    private static float[] predict(Scheme scheme, LayerProbes disturbance) {
        try (ProtectedModel model = ProtectedModel.disturbed(FILE, scheme, disturbance)) {
            return model.predict(INPUTS);
        }
    }

    @Test
    void withoutProtectionAFaultIsAnswered() {
        assertThat(predict(Scheme.NONE, wrong(0, 1))).isNotEqualTo(predict(Scheme.NONE, LayerProbes.NONE));
    }

    @Test
    void aFaultThatStaysFailsTheBatchAndNamesTheLayer() {
        assertThatThrownBy(() -> predict(Scheme.GLOBAL, wrong(1, 2)))
                .isInstanceOfSatisfying(
                        CorruptionException.class, e -> assertThat(e.layer()).isEqualTo("Gemm 'fc1'"))
                .hasMessage("wrong values were found in Gemm 'fc1' of a batch of 7 rows, and again when it was computed"
                        + " once more: the batch is not answered; if values overflow float32, the model is at fault,"
                        + " otherwise this machine is: take it out of service and test it");
        assertThat(found.counts().detections()).isEqualTo(1);
        assertThat(found.counts().recomputations()).isZero();
    }

    /** Any machine computes them so: none is to be accused. */
    @Test
    void valuesThatOverflowFailTheBatchAndAccuseNobody() {
        ModelFile tenfold =
                TestGraphs.linear(new float[][] {{10, 10}}, new float[1]).toModelFile();
        int batches = 0;
        for (Scheme scheme : List.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.WEIGHTED)) {
            try (ProtectedModel model = ProtectedModel.disturbed(tenfold, scheme, LayerProbes.NONE)) {
                assertThatThrownBy(() -> model.predict(new float[] {3e38f, 3e38f}))
                        .isInstanceOf(CorruptionException.class)
                        .hasMessageContaining("if values overflow float32, the model is at fault");
                assertThat(found.counts().detections()).isEqualTo(++batches);
                assertThat(found.layers()).isEmpty();
            }
        }
        assertThatThrownBy(() -> predict(Scheme.GLOBAL, wrong(1, 2))).isInstanceOf(CorruptionException.class);
        assertThat(found.layers()).containsExactly("Gemm 'fc1'");
    }

    @Test
    void faultsAreInjectedOnlyWhereTheJvmWasStartedForIt() {
        assertThatThrownBy(() -> FaultInjection.arm(wrong(0, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a JVM must be started with -Dio.paritas.inference.protect.faults=true for faults to be"
                        + " injected, this one was not");
        System.setProperty("io.paritas.inference.protect.faults", "true");
        try (var model = ModelEngines.load(FILE, protectedBy(Mode.THREAD))) {
            float[] expected = model.predict(INPUTS);
            FaultInjection.arm(wrong(2, 1));
            assertThat(model.predict(INPUTS)).containsExactly(expected);
            assertThat(found.counts().detections()).isEqualTo(1);
        } finally {
            System.clearProperty("io.paritas.inference.protect.faults");
        }
    }

    private static ModelOptions protectedBy(Mode mode) {
        return ModelOptions.DEFAULT.withProtection(Protection.of(mode));
    }

    @Test
    void onlyTheProtectedEngineProtects() {
        assertThatThrownBy(
                        () -> ModelEngines.load(FILE, protectedBy(Mode.GLOBAL).withEngine("onnxruntime")))
                .isInstanceOf(ModelException.class)
                .hasMessage("the engines that check what they compute are [protected], 'onnxruntime' was asked for:"
                        + " leave the engine to 'auto', or the protection out");
    }
}
