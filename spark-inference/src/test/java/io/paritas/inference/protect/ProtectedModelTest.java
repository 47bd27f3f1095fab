/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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

    /** Prints the kind of the hardware, then what it predicts. */
    static final class Main {
        public static void main(String[] arguments) {
            System.out.println(kind() + "\n" + Arrays.toString(predict(Scheme.NONE, LayerProbes.NONE)));
        }
    }

    /** Screening takes those with other bits for wrong. */
    @Test
    void equalKindsComputeEqualBits() throws Exception {
        Process plain = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Dio.paritas.kernel=plain",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines = new String(plain.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(plain.waitFor()).isZero();
        String kind = lines.get(lines.size() - 2);
        assertThat(kind).isEqualTo(Hardware.PROCESSOR.kind() + " with protected in plain Java");
        assertThat(kind.equals(kind()))
                .as("%s here", kind())
                .isEqualTo(lines.get(lines.size() - 1).equals(Arrays.toString(predict(Scheme.NONE, LayerProbes.NONE))));
    }

    private static String kind() {
        try (ProtectedModel model = ProtectedModel.disturbed(FILE, Scheme.NONE, LayerProbes.NONE)) {
            return model.hardware().kind();
        }
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
