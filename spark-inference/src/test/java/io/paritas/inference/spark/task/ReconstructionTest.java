/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Outcome;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.learned.CountedCode;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.spark.driver.Instruction;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReconstructionTest {

    private final int id = Fixtures.spark().newRddId();

    /** Group g has rotation g mod n and g + 1 rows; the prediction of slot s, row i is (g + 10 s + 100 i, -s). */
    private static float[] prediction(int group, int slot, int row) {
        return new float[] {group + 10 * slot + 100 * row, -slot};
    }

    private static void put(PredictionStore store, CodingSpec coding, int first) {
        Layout layout = coding.layout();
        int n = layout.n();
        for (int place = 0; place < n; place++) {
            PredictionStore.Block data = new PredictionStore.Block();
            PredictionStore.Block[] parities = new PredictionStore.Block[layout.r()];
            for (int parity = 0; parity < parities.length; parity++) {
                parities[parity] = new PredictionStore.Block();
            }
            for (int group = 0; group < 2 * n; group++) {
                int slot = Math.floorMod(place - group, n);
                GroupShape shape = GroupShape.even(coding.k(), group + 1);
                if (slot < coding.k()) {
                    Answers answers = new Answers(shape.rows(slot), 2);
                    for (int row = 0; row < answers.rows(); row++) {
                        answers.set(row, prediction(group, slot, row), Outcome.PREDICTED);
                    }
                    data.add(group, answers);
                } else {
                    parities[slot - coding.k()].add(group, parity(coding, group, slot - coding.k()));
                }
            }
            store.put(store.computed(first + place), data);
            for (int parity = 0; parity < parities.length; parity++) {
                store.put(store.parity(first + place, parity), parities[parity]);
            }
        }
    }

    private static Answers parity(CodingSpec coding, int group, int parity) {
        GroupShape shape = GroupShape.even(coding.k(), group + 1);
        Answers answers = new Answers(shape.height(), 2);
        for (int row = 0; row < answers.rows(); row++) {
            float[] sum = new float[2];
            for (int slot : shape.members(row)) {
                float weight =
                        (float) coding.plan().sums().orElseThrow().weight(parity, slot, shape.members(row).length);
                sum[0] += weight * prediction(group, slot, row)[0];
                sum[1] += weight * prediction(group, slot, row)[1];
            }
            answers.set(row, sum, Outcome.PREDICTED);
        }
        return answers.of(shape);
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,2", "4,2"})
    void anyLostSegmentsAreReconstructed(int k, int r) throws BlocksLostException {
        Layout layout = new Layout(k, r, 2 * (k + r), Placement.ROTATED, 1);
        CodingSpec coding = Fixtures.coding(k, r, Encoding.ADDITION, List.of(1), layout);
        int n = layout.n();
        PredictionStore store = new PredictionStore(id, layout);
        put(store, coding, n);
        for (int sources = 0; sources < 1 << n; sources++) {
            int lost = n - Integer.bitCount(sources);
            if (lost == 0 || lost > r) {
                continue;
            }
            for (int place = 0; place < n; place++) {
                if ((sources >> place & 1) == 0) {
                    Instruction told = new Instruction(Instruction.Mode.DECODE, id, sources, lost);
                    check(new Reconstruction(coding, n + place, told, store), coding, place);
                }
            }
        }
    }

    private static void check(Reconstruction reconstruction, CodingSpec coding, int place) {
        for (int group = 0; group < 2 * coding.layout().n(); group++) {
            int slot = Math.floorMod(place - group, coding.layout().n());
            if (slot < coding.k()) {
                Answers answers = reconstruction.decode(
                        new Batch(
                                group,
                                slot,
                                GroupShape.even(coding.k(), group + 1),
                                PackedRows.NONE,
                                ByteBuffer.allocate(0)),
                        2);
                assertThat(answers.rows())
                        .isEqualTo(GroupShape.even(coding.k(), group + 1).rows(slot));
                for (int row = 0; row < answers.rows(); row++) {
                    assertThat(answers.outcome(row)).isEqualTo(Outcome.RECONSTRUCTED);
                    assertThat(answers.prediction(row)).containsExactly(prediction(group, slot, row));
                }
            }
        }
    }

    @Test
    void aBlockThatIsGoneIsTold() {
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        CodingSpec coding = Fixtures.coding(2, 1, Encoding.ADDITION, List.of(1), layout);
        PredictionStore store = new PredictionStore(id, layout);
        put(store, coding, 0);
        store.remove(store.parity(1, 0));
        assertThatThrownBy(() ->
                        new Reconstruction(coding, 2, new Instruction(Instruction.Mode.DECODE, id, 0b011, 1), store))
                .isInstanceOfSatisfying(
                        BlocksLostException.class, e -> assertThat(e.place()).isEqualTo(1))
                .hasMessage("the predictions of the segment at place 1 of the stripe are gone");
    }

    @Test
    void whatAGroupHasNoPredictionsOfStaysUnavailable() throws BlocksLostException {
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        PredictionStore store = new PredictionStore(id, layout);
        for (int segment = 0; segment < 2; segment++) {
            store.put(store.computed(segment), new PredictionStore.Block());
            store.put(store.parity(segment, 0), new PredictionStore.Block());
        }
        assertThat(store.get(store.computed(0)))
                .as("an empty block is a block")
                .hasValueSatisfying(answers -> assertThat(answers).isEmpty());
        Reconstruction reconstruction = new Reconstruction(
                Fixtures.coding(2, 1, Encoding.ADDITION, List.of(1), layout),
                2,
                new Instruction(Instruction.Mode.DECODE, id, 0b011, 1),
                store);
        Answers answers = reconstruction.decode(
                new Batch(0, 0, GroupShape.even(2, 2), PackedRows.NONE, ByteBuffer.allocate(0)), 2);
        assertThat(answers.outcome(0)).isEqualTo(Outcome.UNAVAILABLE);
    }

    /** 600 groups of two members and one of a single one, which needs no network. */
    @Test
    void aNetworkReconstructsManyRowsAtOnce() throws BlocksLostException {
        CodePlan plan =
                new CodePlan(2, 1, CodePlan.EncoderKind.MLP, CodePlan.Loss.MSE_BASE, CodePlan.ChannelMix.SEPARATE);
        Layout layout = new Layout(2, 1, 3, Placement.ROTATED, 1);
        PredictionStore store = new PredictionStore(id, layout);
        GroupShape shape = GroupShape.even(2, 1201);
        float[] known = new float[600 * 2];
        float[] parity = new float[601 * 2];
        for (int i = 0; i < parity.length; i++) {
            parity[i] = i % 23;
            known[Math.min(i, known.length - 1)] = i % 19;
        }
        PredictionStore.Block data = new PredictionStore.Block();
        data.add(7, Answers.predicted(2, known));
        store.put(store.computed(1), data);
        PredictionStore.Block parities = new PredictionStore.Block();
        parities.add(7, Answers.predicted(2, parity).of(shape));
        store.put(store.parity(1, 0), new PredictionStore.Block());
        store.put(store.computed(2), new PredictionStore.Block());
        store.put(store.parity(2, 0), parities);
        try (CountedCode code = new CountedCode(plan, List.of(1, 1, 1), 2)) {
            CodingSpec coding = Fixtures.coding(code, List.of(1, 1, 1), layout);
            Reconstruction reconstruction =
                    new Reconstruction(coding, 0, new Instruction(Instruction.Mode.DECODE, id, 0b110, 1), store);
            Answers answers = reconstruction.decode(new Batch(7, 0, shape, PackedRows.NONE, ByteBuffer.allocate(0)), 2);
            assertThat(code.decoded()).as("256 at once").isEqualTo(3);
            GroupDecoder decoder = code.decoder(role -> null);
            for (int row = 0; row < 601; row++) {
                float[] other = row < 600 ? Arrays.copyOfRange(known, 2 * row, 2 * row + 2) : null;
                float[][] expected = row < 600 ? new float[][] {null, other} : new float[1][];
                decoder.decode(expected, new float[][] {Arrays.copyOfRange(parity, 2 * row, 2 * row + 2)});
                assertThat(answers.outcome(row)).isEqualTo(Outcome.RECONSTRUCTED);
                assertThat(answers.prediction(row)).containsExactly(expected[0], within(1e-4f));
            }
        }
    }

    @Test
    void blocksAreKeptApart() {
        Layout layout = new Layout(2, 2, 8, Placement.ROTATED, 1);
        PredictionStore store = new PredictionStore(id, layout);
        assertThat(store.isOpen()).isTrue();
        assertThat(new PredictionStore(Instruction.NO_BLOCKS, layout).isOpen()).isFalse();
        for (int segment = 0; segment < 8; segment++) {
            int[] indices = {
                store.computed(segment),
                store.parity(segment, 0),
                store.parity(segment, 1),
                store.reconstructed(segment)
            };
            for (int index : indices) {
                assertThat(store.get(index)).isEmpty();
                PredictionStore.Block block = new PredictionStore.Block();
                block.add(1L << 40, Answers.predicted(1, new float[] {index}));
                store.put(index, block);
            }
        }
        for (int index = 0; index < 32; index++) {
            assertThat(store.get(index).orElseThrow().get(1L << 40).prediction(0))
                    .containsExactly(index);
            store.remove(index);
            assertThat(store.get(index)).isEmpty();
        }
    }
}
