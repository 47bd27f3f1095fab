/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.recommend.data.Batches;
import io.paritas.inference.recommend.data.GeneratedClicks;
import io.paritas.inference.recommend.data.MiniBatch;
import io.paritas.inference.recommend.data.Tables;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DlrmTest {
    private static final Tables THREE = Tables.of(5, 1, 40);
    private static final float[][] DENSE = {{0.5f, -1}, {2, 0.25f}, {-0.75f, 1}, {0, 3}};
    private static final float[] LABELS = {1, 0, 1, 0};
    /** None, one twice, some that others have, some of one table. */
    private static final long[][] IDS = {{}, {4, 45, 4}, {0, 5, 45, 7, 8, 9}, {5}};

    static List<DlrmShape> shapes() {
        return List.of(
                new DlrmShape(2, List.of(3), Tables.of(46), 2, Interaction.CONCATENATION, List.of()),
                new DlrmShape(2, List.of(7, 4), THREE, 3, Interaction.CONCATENATION, List.of(6, 5)),
                new DlrmShape(2, List.of(6, 3), THREE, 3, Interaction.DOT, List.of(5)));
    }

    private static MiniBatch batch(DlrmShape shape) {
        return Batches.of(2, shape.tables(), LABELS, DENSE, IDS);
    }

    private static float[] network(DlrmShape shape) {
        float[] network = InitialNetwork.of(shape, 3);
        Random random = new Random(4);
        for (int i = 0; i < network.length; i++) {
            network[i] += 0.1f * (float) random.nextGaussian();
        }
        return network;
    }

    private static float[] rows(DlrmShape shape, MiniBatch batch) {
        float[] rows = new float[batch.ids().length * shape.dimension()];
        InitialRows initial = new InitialRows(5, shape.dimension(), 1);
        for (int i = 0; i < batch.ids().length; i++) {
            initial.fill(batch.ids()[i], rows, i * shape.dimension());
        }
        return rows;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void gradientsAreThoseOfSmallDifferences(DlrmShape shape) {
        MiniBatch batch = batch(shape);
        double[] network = doubles(network(shape));
        double[] rows = doubles(rows(shape, batch));
        ReferenceDlrm reference = new ReferenceDlrm(shape);
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            Gradients gradients = dlrm.gradients(batch, network(shape), rows(shape, batch));
            assertThat((double) gradients.loss()).isCloseTo(reference.loss(batch, network, rows), within(1e-6));
            same(gradients.logits(), reference.logits(batch, network, rows));
            assertThat(gradients.logits()).containsExactly(dlrm.logits(batch, network(shape), rows(shape, batch)));
            same(gradients.network(), differences(network, () -> reference.loss(batch, network, rows)));
            same(gradients.rows(), differences(rows, () -> reference.loss(batch, network, rows)));
        }
    }

    private interface Loss {
        double now();
    }

    private static double[] differences(double[] parameters, Loss loss) {
        double step = 1e-5;
        return IntStream.range(0, parameters.length)
                .mapToDouble(i -> {
                    double value = parameters[i];
                    parameters[i] = value + step;
                    double above = loss.now();
                    parameters[i] = value - step;
                    double below = loss.now();
                    parameters[i] = value;
                    return (above - below) / (2 * step);
                })
                .toArray();
    }

    private static void same(float[] found, double[] wanted) {
        assertThat(doubles(found)).containsExactly(wanted, within(2e-6));
        assertThat(Arrays.stream(wanted).map(Math::abs).max().orElseThrow())
                .as("something to compare")
                .isGreaterThan(1e-2);
    }

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /** All of the gradient at once, along random directions. */
    @Test
    void theEvaluatedNetworkIsDifferentiated() {
        DlrmShape shape = DlrmShape.evaluated(1000);
        MiniBatch batch = Batches.of(GeneratedClicks.likeCriteo(shape.tables(), 1), 0, 4);
        float[] network = network(shape);
        float[] rows = rows(shape, batch);
        ReferenceDlrm reference = new ReferenceDlrm(shape);
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            Gradients gradients = dlrm.gradients(batch, network, rows);
            Random random = new Random(6);
            for (int trial = 0; trial < 2; trial++) {
                double[] networkStep =
                        random.doubles(network.length, -1e-7, 1e-7).toArray();
                double[] rowsStep = random.doubles(rows.length, -1e-7, 1e-7).toArray();
                double change = reference.loss(batch, moved(network, networkStep, 1), moved(rows, rowsStep, 1))
                        - reference.loss(batch, moved(network, networkStep, -1), moved(rows, rowsStep, -1));
                double foretold = 2 * (dot(gradients.network(), networkStep) + dot(gradients.rows(), rowsStep));
                assertThat(foretold).isCloseTo(change, within(1e-3 * Math.abs(change) + 1e-9));
            }
        }
    }

    private static double[] moved(float[] from, double[] step, double factor) {
        return IntStream.range(0, from.length)
                .mapToDouble(i -> from[i] + factor * step[i])
                .toArray();
    }

    private static double dot(float[] left, double[] right) {
        return IntStream.range(0, left.length)
                .mapToDouble(i -> left[i] * right[i])
                .sum();
    }

    @Test
    void equalArgumentsGiveEqualBits() {
        DlrmShape shape = DlrmShape.evaluated(5000);
        MiniBatch batch = Batches.of(GeneratedClicks.likeCriteo(shape.tables(), 1), 0, 100);
        float[] network = network(shape);
        float[] rows = rows(shape, batch);
        for (int threads = 1; threads <= 2; threads++) {
            try (Dlrm first = Dlrm.open(shape, threads);
                    Dlrm second = Dlrm.open(shape, threads)) {
                Gradients wanted = first.gradients(batch, network, rows);
                for (int trial = 0; trial < 2; trial++) {
                    equal(wanted, first.gradients(batch, network, rows));
                    equal(
                            wanted,
                            CompletableFuture.supplyAsync(() -> second.gradients(batch, network, rows))
                                    .join());
                }
            }
        }
    }

    private static void equal(Gradients wanted, Gradients found) {
        assertThat(Float.floatToRawIntBits(found.loss())).isEqualTo(Float.floatToRawIntBits(wanted.loss()));
        assertThat(Arrays.mismatch(found.logits(), wanted.logits())).isEqualTo(-1);
        assertThat(Arrays.mismatch(found.network(), wanted.network())).isEqualTo(-1);
        assertThat(Arrays.mismatch(found.rows(), wanted.rows())).isEqualTo(-1);
    }

    /**
     * LibTorch's objects, by JavaCPP's own count: each that a call or a model makes is freed. The count is the process's, and other
     * tests of this JVM may still hold or make a few objects, so there are more calls and models than that.
     */
    @Test
    void callsAndModelsLeaveNoMemoryBehind() throws ReflectiveOperationException {
        DlrmShape shape = shapes().get(2);
        MiniBatch batch = batch(shape);
        float[] network = network(shape);
        float[] rows = rows(shape, batch);
        int times = 50;
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            long before = nativeObjects();
            for (int call = 0; call < times; call++) {
                dlrm.gradients(batch, network, rows);
                dlrm.logits(batch, network, rows);
            }
            assertThat(nativeObjects() - before).as("objects left by calls").isLessThan(times);
        }
        long before = nativeObjects();
        for (int model = 0; model < times; model++) {
            Dlrm.open(shape, 1).close();
        }
        assertThat(nativeObjects() - before).as("objects left by models").isLessThan(times);
    }

    /** By reflection, because LibTorch's binding stays behind its wrapper. */
    private static long nativeObjects() throws ReflectiveOperationException {
        return (long) Class.forName("org.bytedeco.javacpp.Pointer")
                .getMethod("totalCount")
                .invoke(null);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        DlrmShape shape = shapes().get(0);
        MiniBatch batch = batch(shape);
        try (Dlrm dlrm = Dlrm.open(shape, 1)) {
            int count = shape.parameterCount();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> dlrm.gradients(batch, new float[count + 1], rows(shape, batch)))
                    .withMessage("the networks must have 15 numbers, got 16");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> dlrm.logits(batch, new float[count], new float[3]))
                    .withMessage(
                            "the embedding rows of 4 samples with 7 distinct embedding rows must have 14 numbers, got 3");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Dlrm.open(shape, 0))
                .withMessage("threads must be at least 1, got 0");
    }
}
