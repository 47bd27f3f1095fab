/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Logged;
import io.paritas.inference.Model;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.learned.CountedCode;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.BinaryContent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParityQueriesTest {
    private static final List<Integer> SHAPE = List.of(3, 4, 4);
    private static final int SIZE = 48;

    private static RowReader rgb(BinaryContent type) {
        return Fixtures.reader(type, SHAPE, 1 / 255f, List.of(0.485f, 0.456f, 0.406f), List.of(0.229f, 0.224f, 0.225f));
    }

    private static float[] scaled(RowReader reader, ByteBuffer raw, int row) {
        FloatBuffer values = Model.direct(SIZE);
        reader.scaling().apply(reader.element(), raw.duplicate().position(row * reader.rowBytes()), 1, 1, values);
        float[] result = new float[SIZE];
        values.flip().get(result);
        return result;
    }

    /** What a parity model gets is what the encoder makes of what the model gets. */
    private static void check(RowReader reader, Encoding encoding, int k, int r, Element expected) {
        Random random = new Random(k * 100 + r);
        CodingSpec coding = Fixtures.coding(k, r, encoding, SHAPE, new Layout(k, r, k + r, Placement.ROTATED, 1));
        ParityQueries queries = new ParityQueries(coding, reader);
        for (int rows = 1; rows <= 2 * k + 1; rows++) {
            GroupShape shape = GroupShape.even(k, rows);
            List<ByteBuffer> batches = new ArrayList<>();
            for (int slot = 0; slot < k; slot++) {
                batches.add(random(random, reader, shape.rows(slot)));
            }
            for (int parity = 0; parity < r; parity++) {
                PredictedBatches.Inputs inputs = ParityQueries.inputs(coding, reader, parity);
                assertThat(inputs.element()).isEqualTo(expected);
                byte[] encoded = queries.encode(parity, shape, batches);
                assertThat(encoded).hasSize(shape.height() * SIZE * expected.bytes());
                FloatBuffer made = Model.direct(shape.height() * SIZE);
                inputs.scaling()
                        .apply(inputs.element(), ByteBuffer.wrap(encoded), shape.height(), inputs.weight(), made);
                for (int row = 0; row < shape.height(); row++) {
                    List<float[]> members = new ArrayList<>();
                    for (int slot : shape.members(row)) {
                        members.add(scaled(reader, batches.get(slot), row));
                    }
                    float[] query = coding.encoder().encode(members, parity);
                    for (int i = 0; i < SIZE; i++) {
                        assertThat(made.get(row * SIZE + i))
                                .as("k %d, %d rows, parity %d, row %d, value %d", k, rows, parity, row, i)
                                .isCloseTo(
                                        query[i], within(1e-5f * (1 + (float) new Combinations(k, r).total(parity))));
                    }
                }
            }
        }
    }

    private static ByteBuffer random(Random random, RowReader reader, int rows) {
        if (reader.element() == Element.UINT8) {
            byte[] bytes = new byte[rows * SIZE];
            random.nextBytes(bytes);
            return ByteBuffer.wrap(bytes);
        }
        float[] values = new float[rows * SIZE];
        for (int i = 0; i < values.length; i++) {
            values[i] = 255 * random.nextFloat();
        }
        return Fixtures.floats(values);
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,2", "4,2", "5,3"})
    void sumsOfBytesAreScaledAfterwards(int k, int r) {
        check(rgb(BinaryContent.UINT8), Encoding.ADDITION, k, r, Element.UINT16);
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "3,2", "4,2"})
    void sumsOfNumbersAreOfScaledOnes(int k, int r) {
        check(rgb(BinaryContent.FLOAT32), Encoding.ADDITION, k, r, Element.FLOAT32);
    }

    @ParameterizedTest
    @CsvSource({"2,1", "2,2", "4,2"})
    void imagesAreScaledAndPutBesideEachOther(int k, int r) {
        check(rgb(BinaryContent.UINT8), Encoding.CONCATENATION, k, r, Element.FLOAT32);
        check(rgb(BinaryContent.FLOAT32), Encoding.CONCATENATION, k, r, Element.FLOAT32);
    }

    /** What is reconstructed from them would be wrong, and nobody would see it. */
    @Test
    void aRowFarBeyondTheTrainingLeavesItsGroupWithoutParity() {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        CodingSpec coding =
                Fixtures.coding(plan, List.of(2), new InputRange(0, 1), new Layout(2, 1, 3, Placement.ROTATED, 1));
        RowReader reader = Fixtures.reader(BinaryContent.FLOAT32, List.of(2), 1, List.of(0f), List.of(1f));
        List<ByteBuffer> batches = List.of(
                Fixtures.floats(0.25f, 0.5f, 0.25f, 0.5f, 0.25f, 0.5f), Fixtures.floats(0, 0.25f, 1000, 0, 2, -1));

        byte[] encoded = new ParityQueries(coding, reader).encode(0, GroupShape.even(2, 6), batches);

        float[] values = new float[6];
        ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        assertThat(values).containsExactly(0.25f, 0.75f, Float.NaN, Float.NaN, 2.25f, -0.5f);
    }

    @Test
    void aNetworkMakesAllQueriesOfAGroupAtOnce() {
        CodePlan plan =
                new CodePlan(3, 2, CodePlan.EncoderKind.CONV, CodePlan.Loss.MSE_BASE, CodePlan.ChannelMix.SEPARATE);
        RowReader reader = rgb(BinaryContent.UINT8);
        Random random = new Random(5);
        try (CountedCode code = new CountedCode(plan, SHAPE, 10)) {
            CodingSpec coding = Fixtures.coding(code, SHAPE, new Layout(3, 2, 5, Placement.ROTATED, 1));
            ParityQueries queries = new ParityQueries(coding, reader);
            for (int rows = 1; rows <= 7; rows++) {
                GroupShape shape = GroupShape.even(3, rows);
                List<ByteBuffer> batches = IntStream.range(0, 3)
                        .mapToObj(slot -> random(random, reader, shape.rows(slot)))
                        .toList();
                byte[][] expected = {queries.encode(0, shape, batches), queries.encode(1, shape, batches)};
                int before = code.encoded();
                IntFunction<byte[]> made = queries.of(shape, batches);
                assertThat(code.encoded()).as("not before a query is asked for").isEqualTo(before);
                assertThat(made.apply(0)).isEqualTo(expected[0]);
                assertThat(made.apply(1)).isEqualTo(expected[1]);
                assertThat(code.encoded() - before)
                        .as("once for each band of more than one member, %s rows", rows)
                        .isEqualTo(shape.bands().stream()
                                .filter(band -> band.members().length > 1)
                                .count());
            }
        }
    }

    /** Tasks that read them would have to fail otherwise, and nothing is reconstructed from NaN. */
    @ParameterizedTest
    @CsvSource({"false,load", "true,run"})
    void whatANetworkCannotMakeIsNoParity(boolean loads, String what) {
        CodingSpec coding =
                Fixtures.coding(new FailingCode(loads), List.of(1, 1, 1), new Layout(2, 1, 3, Placement.ROTATED, 1));
        ParityQueries queries = new ParityQueries(coding, Fixtures.bytes(1));
        List<ByteBuffer> batches = List.of(ByteBuffer.wrap(new byte[] {1}), ByteBuffer.wrap(new byte[] {2}));
        try (Logged log = new Logged(ParityQueries.class.getName())) {
            for (int group = 0; group < 2; group++) {
                byte[] made = queries.of(GroupShape.even(2, 2), batches).apply(0);
                assertThat(ByteBuffer.wrap(made).order(ByteOrder.LITTLE_ENDIAN).getFloat())
                        .isNaN();
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: rows of this task have no parity: no memory to " + what + " the encoder");
        }
    }

    @Test
    void sumsAreBytesAsLongAsTheyFitIn16Bits() {
        // The weights of k = 8: 36, 204 and 1296 in all; 257 fit.
        CodingSpec coding =
                Fixtures.coding(8, 4, Encoding.ADDITION, List.of(1), new Layout(8, 4, 12, Placement.ROTATED, 1));
        RowReader reader = Fixtures.bytes(1);
        ParityQueries queries = new ParityQueries(coding, reader);
        List<ByteBuffer> white = new ArrayList<>();
        for (int slot = 0; slot < 8; slot++) {
            white.add(ByteBuffer.wrap(new byte[] {-1}));
        }
        int[] totals = {8, 36, 204, 1296};
        for (int parity = 0; parity < 4; parity++) {
            PredictedBatches.Inputs inputs = ParityQueries.inputs(coding, reader, parity);
            assertThat(inputs.element()).isEqualTo(parity < 3 ? Element.UINT16 : Element.FLOAT32);
            FloatBuffer made = FloatBuffer.allocate(1);
            ByteBuffer encoded = ByteBuffer.wrap(queries.encode(parity, GroupShape.even(8, 8), white));
            inputs.scaling().apply(inputs.element(), encoded, 1, inputs.weight(), made);
            assertThat(made.get(0)).isEqualTo(255 * totals[parity]);
        }
    }
}
