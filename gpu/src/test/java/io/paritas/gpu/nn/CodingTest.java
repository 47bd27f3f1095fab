/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.gpu.Device;
import io.paritas.gpu.DeviceMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared with plain Java, bit by bit. */
@Tag("kernels")
class CodingTest {
    private final Device device = new Device();
    private final Random random = new Random(Operands.SEED);
    private final List<DeviceMemory> memories = new ArrayList<>();

    @AfterEach
    void close() {
        device.stream.synchronise();
        memories.forEach(DeviceMemory::close);
        device.close();
    }

    private DeviceMemory kept(DeviceMemory memory) {
        memories.add(memory);
        return memory;
    }

    private long upload(float[] values) {
        return kept(Operands.upload(device, values)).address();
    }

    private float[] download(long address, int count) {
        return Operands.floats(device.download(address, count * Float.BYTES));
    }

    private float[] random(int count) {
        return Operands.random(random, Precision.SINGLE, count);
    }

    /** Any length, and addresses that are multiples of 16 or not. */
    @ParameterizedTest
    @CsvSource({"1, 0", "4, 0", "7, 0", "128, 0", "1000, 0", "1000, 1", "513, 3"})
    void addsQueries(int values, int shift) {
        int members = 5;
        float[] weights = {1, 2, 3, 4, -0.3f};
        float[][] queries = new float[members][];
        long[] addresses = new long[members];
        for (int i = 0; i < members; i++) {
            queries[i] = random(values + shift);
            queries[i][shift] = i == 1 ? Float.NaN : 1;
            addresses[i] = upload(queries[i]) + shift * Float.BYTES;
        }
        DeviceMemory parity = kept(device.allocate((values + shift + 1L) * Float.BYTES));
        ParityEncoder.add(weights, addresses, parity.address() + shift * Float.BYTES, values, device.stream);
        float[] found = download(parity.address(), values + shift + 1);
        for (int i = 0; i < values; i++) {
            float sum = 0;
            for (int member = 0; member < members; member++) {
                sum += weights[member] * queries[member][shift + i];
            }
            assertThat(found[shift + i])
                    .as("value %d, seed %d", i, Operands.SEED)
                    .isEqualTo(Float.valueOf(sum));
        }
        assertThat(Float.floatToRawIntBits(found[shift + values])).isEqualTo(0xEEEEEEEE);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "16, 0", "33, 0", "2048, 0", "1000, 2", "1024, 6"})
    void addsBytes(int values, int shift) {
        int[] weights = {1, 200, 56};
        byte[][] queries = new byte[weights.length][values + shift];
        long[] addresses = new long[weights.length];
        for (int i = 0; i < weights.length; i++) {
            random.nextBytes(queries[i]);
            queries[i][shift] = (byte) 0xFF; // the largest sum
            addresses[i] = kept(device.upload(queries[i])).address() + shift;
        }
        DeviceMemory parity = kept(device.allocate(2L * (values + shift + 1)));
        ParityEncoder.addBytes(weights, addresses, parity.address() + 2L * shift, values, device.stream);
        ByteBuffer found = ByteBuffer.wrap(device.download(parity.address(), 2 * (values + shift + 1)))
                .order(ByteOrder.nativeOrder());
        for (int i = 0; i < values; i++) {
            int sum = 0;
            for (int member = 0; member < weights.length; member++) {
                sum += weights[member] * (queries[member][shift + i] & 0xFF);
            }
            assertThat(found.getShort(2 * (shift + i)) & 0xFFFF)
                    .as("value %d, seed %d", i, Operands.SEED)
                    .isEqualTo(sum);
        }
        assertThat(found.getShort(2 * (shift + values))).isEqualTo((short) 0xEEEE);
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 1, 2", "2, 3, 5, 8", "3, 1, 2, 2", "3, 3, 6, 10", "4, 1, 2, 2", "4, 3, 6, 10", "4, 2, 4, 64"})
    void concatenatesImages(int k, int channels, int height, int width) {
        int groups = 2;
        int size = channels * height * width;
        float[][] queries = new float[k][];
        long[] addresses = new long[k];
        for (int i = 0; i < k; i++) {
            queries[i] = random(groups * size);
            addresses[i] = upload(queries[i]);
        }
        DeviceMemory parity = kept(device.allocate((long) groups * size * Float.BYTES));
        try (ImageConcatenation concatenation = new ImageConcatenation(k, channels, height, width)) {
            concatenation.encode(addresses, parity.address(), groups, device.stream);
            device.stream.synchronise();
        }
        float[] found = download(parity.address(), groups * size);
        int tileHeight = k > 2 ? height / 2 : height;
        for (int plane = 0; plane < groups * channels; plane++) {
            for (int place = 0; place < k; place++) {
                int tileWidth = k == 3 && place == 2 ? width : width / 2;
                float[] image = java.util.Arrays.copyOfRange(
                        queries[place], plane * height * width, (plane + 1) * height * width);
                float[] tile = resized(resized(image, width, tileWidth, 1), height, tileHeight, tileWidth);
                for (int i = 0; i < tile.length; i++) {
                    int y = place / 2 * tileHeight + i / tileWidth;
                    int x = place % 2 * tileWidth + i % tileWidth;
                    assertThat(found[(plane * height + y) * width + x])
                            .as("plane %d, place %d, value %d, seed %d", plane, place, i, Operands.SEED)
                            .isEqualTo(tile[i]);
                }
            }
        }
    }

    /** Pillow's bilinear filter along the middle one of the dimensions (any, from, inner). */
    private static float[] resized(float[] values, int from, int to, int inner) {
        double scale = (double) from / to;
        float[] result = new float[values.length / from * to];
        for (int i = 0; i < result.length; i++) {
            double centre = (i / inner % to + 0.5) * scale;
            int first = (int) Math.max(centre - scale + 0.5, 0);
            int end = (int) Math.min(centre + scale + 0.5, from);
            double total = 0;
            for (int j = first; j < end; j++) {
                total += Math.max(0, 1 - Math.abs(j + 0.5 - centre) / scale);
            }
            double sum = 0;
            for (int j = first; j < end; j++) {
                double weight = Math.max(0, 1 - Math.abs(j + 0.5 - centre) / scale) / total;
                sum += weight * values[(i / inner / to * from + j) * inner + i % inner];
            }
            result[i] = (float) sum;
        }
        return result;
    }

    /** The sum of predictions with weights (i + 1)^j, as parity models answer ideally. */
    private static double weight(int parity, int member) {
        return Math.pow(member + 1.0, parity);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void reconstructsLostPredictions(int losses) {
        int k = 5;
        int rows = 7;
        int size = 10;
        float[][] predictions = new float[k][];
        for (int i = 0; i < k; i++) {
            predictions[i] = random(rows * size);
        }
        long[] answers = new long[losses];
        long[] lost = new long[losses];
        long[] available = new long[k - losses];
        double[][] lostWeights = new double[losses][losses];
        double[][] availableWeights = new double[losses][k - losses];
        for (int parity = 0; parity < losses; parity++) {
            float[] answer = new float[rows * size];
            for (int i = 0; i < answer.length; i++) {
                double sum = 0;
                for (int member = 0; member < k; member++) {
                    sum += weight(parity, member) * predictions[member][i];
                }
                answer[i] = (float) sum;
            }
            answers[parity] = upload(answer);
            lost[parity] = kept(device.allocate(rows * size * 4L)).address();
            for (int member = 0; member < k; member++) {
                /* The first ones are lost. */
                if (member < losses) {
                    lostWeights[parity][member] = weight(parity, member);
                } else {
                    availableWeights[parity][member - losses] = weight(parity, member);
                }
            }
        }
        for (int i = losses; i < k; i++) {
            available[i - losses] = upload(predictions[i]);
        }
        DeviceMemory spoiled = kept(device.allocate(4L * rows));
        new ParityDecoder(availableWeights, lostWeights)
                .decode(available, answers, lost, spoiled.address(), rows, size, device.stream);
        for (int i = 0; i < losses; i++) {
            float[] found = download(lost[i], rows * size);
            for (int v = 0; v < found.length; v++) {
                assertThat(found[v])
                        .as("lost member %d of %d, value %d, seed %d", i, losses, v, Operands.SEED)
                        .isCloseTo(predictions[i][v], Offset.offset(1e-4f));
            }
        }
        assertThat(device.download(spoiled.address(), 4 * rows)).containsOnly(0);
    }

    @Test
    void reconstructsOneWithTheBitsOfTheCpuAndSaysWhichRowsAreSpoiled() {
        int rows = 9;
        int size = 33;
        float[] answer = random(rows * size);
        float[] first = random(rows * size);
        float[] third = random(rows * size);
        answer[4 * size + 7] = Float.POSITIVE_INFINITY;
        third[8 * size] = Float.NaN;
        DeviceMemory lost = kept(device.allocate(rows * size * 4L));
        DeviceMemory spoiled = kept(device.allocate(4L * rows));
        new ParityDecoder(new double[][] {{1, 9}}, new double[][] {{7}})
                .decode(
                        new long[] {upload(first), upload(third)},
                        new long[] {upload(answer)},
                        new long[] {lost.address()},
                        spoiled.address(),
                        rows,
                        size,
                        device.stream);
        float[] found = download(lost.address(), rows * size);
        for (int i = 0; i < found.length; i++) {
            double rest = answer[i];
            rest -= 1.0 * first[i];
            rest -= 9.0 * third[i];
            assertThat(found[i]).as("value %d, seed %d", i, Operands.SEED).isEqualTo(Float.valueOf((float)
                    (rest * (1 / 7.0))));
        }
        ByteBuffer words =
                ByteBuffer.wrap(device.download(spoiled.address(), 4 * rows)).order(ByteOrder.nativeOrder());
        for (int row = 0; row < rows; row++) {
            assertThat(words.getInt()).as("row %d", row).isEqualTo(row == 4 || row == 8 ? 1 : 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 5, 1, 4", "7, 1, 12, 3, 4", "5, 6, 3, 2, 2", "4, 4, 5, 4, 1", "9, 2, 7, 4, 4"})
    void stacksImages(int rows, int pixels, int channels, int fold, int elementBytes) {
        int size = pixels * channels * elementBytes;
        byte[] images = new byte[rows * size];
        random.nextBytes(images);
        int stacks = (rows + fold - 1) / fold;
        DeviceMemory to = kept(device.allocate((long) stacks * fold * size));
        long from = kept(device.upload(images)).address();
        ImageStacks.Shape shape = new ImageStacks.Shape(pixels, channels, fold, elementBytes);
        ImageStacks.stack(from, to.address(), rows, shape, device.stream);
        byte[] found = device.download(to.address(), stacks * fold * size);
        int run = channels * elementBytes;
        for (int i = 0; i < found.length; i++) {
            int stack = i / (fold * size);
            int pixel = i / (fold * run) % pixels;
            int image = Math.min(rows - 1, stack * fold + i / run % fold);
            assertThat(found[i])
                    .as("byte %d, seed %d", i, Operands.SEED)
                    .isEqualTo(images[image * size + pixel * run + i % run]);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "3, 1", "3, 7"})
    void scalesValues(int channels, int run) {
        int count = 4 * channels * run;
        float[] factors = random(channels);
        float[] offsets = random(channels);
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        byte[] shorts = new byte[2 * count];
        random.nextBytes(shorts);
        float[] floats = random(count);
        ByteBuffer words = ByteBuffer.wrap(shorts).order(ByteOrder.nativeOrder());
        ValueFormats.Scaling scaling = new ValueFormats.Scaling(upload(factors), upload(offsets), channels, run);
        long[] sources = {
            kept(device.upload(bytes)).address(), kept(device.upload(shorts)).address(), upload(floats)
        };
        for (ValueFormats.Element element : ValueFormats.Element.values()) {
            DeviceMemory to = kept(device.allocate(4L * count));
            ValueFormats.scale(element, sources[element.ordinal()], to.address(), scaling, count, device.stream);
            float[] found = download(to.address(), count);
            for (int i = 0; i < count; i++) {
                float value =
                        switch (element) {
                            case BYTES -> bytes[i] & 0xFF;
                            case SHORTS -> words.getShort(2 * i) & 0xFFFF;
                            case FLOATS -> floats[i];
                        };
                int channel = i / run % channels;
                assertThat(found[i])
                        .as("%s %d, seed %d", element, i, Operands.SEED)
                        .isEqualTo(factors[channel] * value + offsets[channel]);
            }
        }
    }

    @Test
    void convertsToHalvesAndBack() {
        float[] values = random(1000);
        float[] special = {0, -0f, 65_504, 65_520, -1e9f, 1e-9f, 5.9e-8f, 6e-5f, Float.NaN, Float.NEGATIVE_INFINITY};
        System.arraycopy(special, 0, values, 0, special.length);
        DeviceMemory halves = kept(device.allocate(2L * values.length));
        DeviceMemory back = kept(device.allocate(4L * values.length));
        ValueFormats.toHalves(upload(values), halves.address(), values.length, device.stream);
        ValueFormats.toFloats(halves.address(), back.address(), values.length, device.stream);
        float[] found = download(back.address(), values.length);
        for (int i = 0; i < values.length; i++) {
            assertThat(found[i]).as("of %s", values[i]).isEqualTo(Float.valueOf(Halves.toFloat(Halves.of(values[i]))));
        }
    }

    @Test
    void refusesWhatIsNoGroup() {
        long[] two = {0, 0};
        assertThatThrownBy(() -> ParityEncoder.add(new float[3], two, 0, 1, device.stream))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a coding group must have 1 to 16 members and a weight for each, got 2 members and 3"
                        + " weights");
        assertThatThrownBy(() -> ParityEncoder.addBytes(new int[] {257, 1}, two, 0, 1, device.stream))
                .hasMessage("weights of bytes must not be negative, and add up to at most 257, got [257, 1]: add"
                        + " float32 instead");
        assertThatThrownBy(() -> ParityEncoder.add(new float[2], two, 0, 0, device.stream))
                .hasMessage("the number of values must be at least 1, got 0");
        assertThatThrownBy(() -> new ImageConcatenation(5, 1, 2, 2))
                .hasMessage("concatenation needs groups of 2 to 4 images, got 5");
        assertThatThrownBy(() -> new ImageConcatenation(4, 1, 3, 2))
                .hasMessage("concatenation needs images with even sides, got 1 x 3 x 2");
        assertThatThrownBy(() -> new ParityDecoder(new double[][] {{1}, {1}}, new double[][] {{1, 2}, {2, 4}}))
                .hasMessage("the answers cannot tell the lost members apart: their weights are linearly dependent");
        assertThatThrownBy(() -> new ParityDecoder(new double[][] {{1, 1}}, new double[][] {{1, 2}}))
                .hasMessage("each answer must have a weight for each member, answer 0 has 2 for 1 lost and 2 for"
                        + " 2 available"
                        + " ones");
        assertThatThrownBy(() -> new ImageStacks.Shape(1, 1, 1, 8))
                .hasMessage("a value must have 1, 2 or 4 bytes, got 8");
    }
}
