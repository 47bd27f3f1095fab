/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.DirectBuffers;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.StoredInput;
import io.paritas.inference.StoredRows;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Ort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoldedModelTest {
    /** Any graph as a model, by ONNX Runtime; counts how it is called. */
    private static final class GraphModel implements Model {
        private final Graph graph;
        private final List<Integer> batches = new CopyOnWriteArrayList<>();
        private int failsAfter = Integer.MAX_VALUE;
        private boolean closed;

        private GraphModel(Graph graph) {
            this.graph = graph;
        }

        @Override
        public TensorSpec input() {
            return graph.input();
        }

        @Override
        public TensorSpec output() {
            return graph.output();
        }

        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            if (batches.size() == failsAfter) {
                throw new ModelException("a test");
            }
            batches.add(rows);
            float[] values = new float[rows * input().size()];
            inputs.get(values);
            outputs.put(Ort.run(graph, values, rows));
        }

        @Override
        public Optional<StoredInput> storedInput() {
            return Optional.of((rows, outputs) -> {
                float[] values = new float[rows.rows() * rows.size()];
                int channel = rows.size() / rows.factors().size();
                for (int i = 0; i < values.length; i++) {
                    values[i] = rows.factors().get(i % rows.size() / channel)
                            * Byte.toUnsignedInt(rows.values().get(i));
                }
                predict(rows.rows(), Model.direct(values.length).put(values).flip(), outputs);
            });
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static GraphModel folded(int fold) {
        Graph graph = Folding.fold(NetworkName.GAME_V2.build(List.of(3, 13, 13), 5), FoldOptions.of(fold));
        return new GraphModel(Initialisation.PYTORCH.apply(graph, 11));
    }

    private static float[] images(int rows) {
        SplittableRandom random = new SplittableRandom(17);
        float[] values = new float[rows * 3 * 13 * 13];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble();
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void looksLikeTheOriginal(int fold) {
        Model model = new FoldedModel(folded(fold), fold);
        assertThat(model.input()).isEqualTo(new TensorSpec("input", List.of(3, 13, 13)));
        assertThat(model.output().shape()).containsExactly(5);
        assertThat(model.device()).isEqualTo(Device.CPU);
    }

    /** All tails of all folds: what the folded network says of the padded stacks, without what was padded. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void fillsTheLastStack(int fold) {
        for (int rows = 1; rows <= 9; rows++) {
            GraphModel inner = folded(fold);
            float[] inputs = images(rows);
            float[] stacks = padded(inputs, inner.input().size() / fold, fold);
            float[] expected = Arrays.copyOf(inner.predict(stacks), rows * 5);
            assertThat(new FoldedModel(inner, fold).predict(inputs)).isEqualTo(expected);
        }
    }

    /** Whole stacks, filled with copies of the last row. */
    private static float[] padded(float[] rows, int rowSize, int fold) {
        int count = Stacks.count(rows.length / rowSize, fold) * fold;
        float[] result = Arrays.copyOf(rows, count * rowSize);
        for (int i = rows.length; i < result.length; i++) {
            result[i] = result[i - rowSize];
        }
        return result;
    }

    @Test
    void copiesOnlyTheLastStack() {
        GraphModel inner = folded(4);
        new FoldedModel(inner, 4).predict(images(11));
        new FoldedModel(inner, 4).predict(images(8));
        new FoldedModel(inner, 4).predict(images(3));
        assertThat(inner.batches).containsExactly(2, 1, 2, 1);
    }

    @Test
    void advancesPositionsByRows() {
        float[] values = images(4);
        FloatBuffer inputs = Model.direct(values.length).put(values).flip();
        FloatBuffer outputs = Model.direct(40);
        new FoldedModel(folded(2), 2).predict(3, inputs, outputs);
        assertThat(inputs.position()).isEqualTo(3 * 3 * 13 * 13);
        assertThat(inputs.limit()).isEqualTo(values.length);
        assertThat(outputs.position()).isEqualTo(15);
    }

    @Test
    void servesManyThreads() {
        Model model = new FoldedModel(folded(3), 3);
        float[] inputs = images(7);
        float[] expected = model.predict(inputs);
        assertThat(IntStream.range(0, 16)
                        .parallel()
                        .mapToObj(i -> model.predict(inputs))
                        .allMatch(outputs -> Arrays.equals(outputs, expected)))
                .isTrue();
    }

    /** New ones would cost full garbage collections. */
    @Test
    void lastStacksUseBuffersAgain() {
        FoldedModel model = new FoldedModel(new StackCheckTest.Sums(), 3);
        FloatBuffer inputs = Model.direct(10).put(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        FloatBuffer outputs = Model.direct(5);

        assertThat(DirectBuffers.added(1_000, () -> {
                    model.predict(5, inputs.clear(), outputs.clear());
                    assertThat(outputs.get(4)).isEqualTo(19.25f);
                }))
                .isLessThan(100);
    }

    @Test
    void closesTheFoldedModel() {
        GraphModel inner = folded(2);
        new FoldedModel(inner, 2).close();
        assertThat(inner.closed).isTrue();
    }

    @Test
    void buffersStayWhereTheyAreIfTheLastStackFails() {
        GraphModel inner = folded(2);
        inner.failsAfter = 1;
        FloatBuffer inputs = Model.direct(3 * 507);
        FloatBuffer outputs = Model.direct(15);

        assertThatThrownBy(() -> new FoldedModel(inner, 2).predict(3, inputs, outputs))
                .isInstanceOf(ModelException.class);

        assertThat(inputs.position()).isZero();
        assertThat(outputs.position()).isZero();
    }

    @Test
    void storedRowsAreAllPredictedOrNone() {
        GraphModel inner = folded(2);
        StoredInput stored = new FoldedModel(inner, 2).storedInput().orElseThrow();
        byte[] pixels = new byte[5 * 507];
        new Random(3).nextBytes(pixels);
        StoredRows rows = new StoredRows(
                5, StoredRows.Type.UINT8, ByteBuffer.wrap(pixels), List.of(1f, 2f, 3f), List.of(0f, 0f, 0f));
        FloatBuffer outputs = Model.direct(25);
        stored.predict(rows, outputs);
        assertThat(outputs.position()).isEqualTo(25);
        assertThat(inner.batches).containsExactly(2, 1);

        inner.failsAfter = 3;
        assertThatThrownBy(() -> stored.predict(rows, outputs.clear())).isInstanceOf(ModelException.class);
        assertThat(outputs.position()).isZero();

        inner.batches.clear();
        FloatBuffer small = Model.direct(24);
        assertThatThrownBy(() -> stored.predict(rows, small))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the outputs of 5 rows of fc1 (5) are 25 values, the buffer has only 24 remaining");
        assertThat(small.position()).isZero();
        assertThatThrownBy(() -> stored.predict(rows.part(0, 1), FloatBuffer.allocate(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the outputs must be a direct buffer in native byte order, got one on the heap: make it with"
                                + " Model.direct");
        assertThatThrownBy(() -> stored.predict(rows.part(0, 1), Model.direct(5).asReadOnlyBuffer()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the outputs must be writable, got a read-only buffer");
        assertThat(inner.batches).as("nothing was predicted").isEmpty();
    }

    @Test
    void refusesBuffersThatDoNotFit() {
        Model model = new FoldedModel(folded(2), 2);
        FloatBuffer small = Model.direct(3 * 507 - 1);
        assertThatThrownBy(() -> model.predict(3, small, Model.direct(15)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the inputs of 3 rows of input (3, 13, 13) are 1521 values, the buffer has only 1520 remaining");
        assertThat(small.position()).isZero();
        assertThatThrownBy(() -> model.predict(1, FloatBuffer.allocate(507), Model.direct(5)))
                .hasMessage("the inputs must be a direct buffer in native byte order, got one on the heap: make it with"
                        + " Model.direct");
        assertThatThrownBy(() -> model.predict(0, Model.direct(507), Model.direct(5)))
                .hasMessage("a batch needs at least 1 row, got 0");
        assertThatThrownBy(() ->
                        model.predict(1, Model.direct(507), Model.direct(5).asReadOnlyBuffer()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the outputs must be writable, got a read-only buffer");
        FloatBuffer foreign =
                ByteBuffer.allocateDirect(20).order(ByteOrder.BIG_ENDIAN).asFloatBuffer();
        assertThatThrownBy(() -> model.predict(1, Model.direct(507), foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the outputs must be a direct buffer in native byte order, got a direct one in BIG_ENDIAN:"
                        + " make it with Model.direct");
        assertThatThrownBy(() -> new FoldedModel(folded(2), 4))
                .hasMessage("stacks of 4 images must have channels for each, got input (6, 13, 13)");
    }
}
