/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.StoredInput;
import io.paritas.inference.StoredRows;
import io.paritas.inference.folded.FoldedModel;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.graph.TestGraphs;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("contract")
class StoredInputTest {
    private final Model model =
            ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT.withDevice(Device.CUDA));
    private final StoredInput stored = model.storedInput().orElseThrow();
    private final int size = model.input().size();
    private final Random random = new Random(1);

    @AfterEach
    void close() {
        model.close();
    }

    private StoredRows rows(int count, StoredRows.Type type, List<Float> factors, List<Float> offsets) {
        byte[] values = new byte[count * size * type.bytes()];
        random.nextBytes(values);
        return new StoredRows(count, type, ByteBuffer.wrap(values), factors, offsets);
    }

    /** As on the CPU. */
    private float[] scaled(StoredRows rows) {
        int size = rows.size();
        float[] values = new float[rows.rows() * size];
        for (int i = 0; i < values.length; i++) {
            ByteBuffer raw = rows.values();
            int value = rows.type() == StoredRows.Type.UINT8
                    ? raw.get(i) & 0xff
                    : (raw.get(2 * i) & 0xff) | ((raw.get(2 * i + 1) & 0xff) << 8);
            int channel = i % size / (size / rows.factors().size());
            values[i] = rows.factors().get(channel) * value + rows.offsets().get(channel);
        }
        return values;
    }

    private float[] predicted(StoredRows rows) {
        FloatBuffer outputs = Model.direct(rows.rows() * model.output().size());
        stored.predict(rows, outputs);
        assertThat(outputs.hasRemaining()).isFalse();
        float[] result = new float[outputs.capacity()];
        outputs.flip().get(result);
        return result;
    }

    @ParameterizedTest
    @CsvSource({"UINT8,1", "UINT8,7", "UINT16,1", "UINT16,33", "UINT8,1500"})
    void predictionsHaveTheBitsOfThoseOfScaledRows(StoredRows.Type type, int count) {
        StoredRows rows = rows(count, type, List.of(1 / 255f), List.of(-0.4f));
        assertThat(predicted(rows)).isEqualTo(model.predict(scaled(rows)));
    }

    @Test
    void aChannelHasAScalingOfItsOwn() {
        int channels = model.input().shape().get(0);
        List<Float> factors =
                random.ints(channels, 1, 9).mapToObj(i -> i / 999f).toList();
        List<Float> offsets = random.ints(channels, 1, 9).mapToObj(i -> i / -9f).toList();
        for (int turn = 0; turn < 3; turn++) {
            StoredRows rows = rows(5 + turn, StoredRows.Type.UINT8, turn == 1 ? offsets : factors, offsets);
            assertThat(predicted(rows)).isEqualTo(model.predict(scaled(rows)));
        }
    }

    /** Two images with three channels each are a stack, the last one with a copy. */
    @Test
    void stacksAreMadeOfStoredRows() {
        GraphBuilder graph = new GraphBuilder(6, 5, 4);
        Model folded = ModelEngines.load(
                Initialisation.HE
                        .apply(graph.output(graph.linear(graph.flatten(graph.input()), 4)), 1)
                        .toModelFile(),
                ModelOptions.DEFAULT.withDevice(Device.CUDA));
        try (FoldedModel images = new FoldedModel(folded, 2)) {
            for (int count : new int[] {1, 2, 5}) {
                byte[] values = new byte[count * 60];
                random.nextBytes(values);
                StoredRows rows = new StoredRows(
                        count,
                        StoredRows.Type.UINT8,
                        ByteBuffer.wrap(values),
                        List.of(0.1f, 0.2f, 0.3f),
                        List.of(3f, 2f, 1f));
                FloatBuffer outputs = Model.direct(count * 2);
                images.storedInput().orElseThrow().predict(rows, outputs);
                float[] predicted = new float[count * 2];
                outputs.flip().get(predicted);
                assertThat(predicted).isEqualTo(images.predict(scaled(rows)));
            }
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        FloatBuffer outputs = Model.direct(model.output().size());
        StoredRows shorter =
                new StoredRows(1, StoredRows.Type.UINT8, ByteBuffer.allocate(size - 1), List.of(1f), List.of(0f));
        assertThatThrownBy(() -> stored.predict(shorter, outputs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "stored rows must have the " + size + " values of " + model.input() + ", got " + (size - 1));
        assertThatThrownBy(() -> stored.predict(rows(2, StoredRows.Type.UINT8, List.of(1f), List.of(0f)), outputs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the outputs of 2 rows");
        model.close();
        assertThatThrownBy(() -> stored.predict(rows(1, StoredRows.Type.UINT8, List.of(1f), List.of(0f)), outputs))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model with " + model.input() + " is closed: load it again");
    }
}
