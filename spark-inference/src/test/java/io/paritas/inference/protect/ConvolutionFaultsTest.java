/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.protect.BitFlip.Target;
import io.paritas.inference.protect.gemm.Scheme;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bits are flipped in what convolutions compute, and in their checksums. */
class ConvolutionFaultsTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final ModelFile FILE = TestGraphs.small(1).toModelFile();
    private static final int ROWS = 7;
    private static final int FLIPS_OF_A_BIT = 12;
    private static final float[] INPUTS = TestGraphs.values(ROWS * 64);

    @ParameterizedTest
    @EnumSource(value = Scheme.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void everyFlipAboveTwiceTheBoundIsFoundAndPutRight(Scheme scheme) {
        Random random = new Random(SEED);
        AtomicReference<LayerProbes> current = new AtomicReference<>(LayerProbes.NONE);
        int[] above = new int[Target.values().length];
        try (ProtectedModel model =
                ProtectedModel.disturbed(FILE, scheme, layer -> current.get().of(layer))) {
            float[] expected = new float[model.output().size() * ROWS];
            assertThat(detections(model, expected)).isZero();
            for (int i = 0; i < model.layers().size(); i++) {
                if (!model.layers().get(i).startsWith("Conv ")) {
                    continue;
                }
                LayerShape shape = model.shape(i, ROWS);
                for (int flips = 0; flips < 2 * 32 * FLIPS_OF_A_BIT; flips++) {
                    Target target = Target.values()[flips % 2];
                    BitFlip flip = new BitFlip(
                            target, i, random.nextLong(shape.m()), random.nextLong(shape.columns()), flips / 2 % 32);
                    current.set(flip);
                    float[] outputs = new float[expected.length];
                    long found = detections(model, outputs);
                    if (flip.isAboveBound()) {
                        above[target.ordinal()]++;
                        assertThat(found)
                                .as("%s, %s in %s, flip %d, by %g", scheme, target, shape, flips, flip.change())
                                .isEqualTo(1);
                    }
                    if (found > 0 || target == Target.CHECKSUM) {
                        assertThat(outputs).containsExactly(expected);
                    }
                }
            }
        }
        assertThat(above[Target.VALUE.ordinal()]).isGreaterThan(32 * FLIPS_OF_A_BIT / 4);
        if (scheme != Scheme.DUPLICATION) { // which has no checksums
            assertThat(above[Target.CHECKSUM.ordinal()]).isPositive();
        }
    }

    /** Predicts, and returns in how many layers something was wrong. */
    private static long detections(ProtectedModel model, float[] outputs) {
        try (LayerFindings found = LayerFindings.open()) {
            float[] predicted = model.predict(INPUTS);
            System.arraycopy(predicted, 0, outputs, 0, outputs.length);
            return found.counts().detections();
        }
    }
}
