/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Model;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.driver.Layout.Placement;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.BinaryContent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * What a row of 3×32×32 bytes costs a task on one thread before a model sees it: reading, scaling, and its part of a parity query. The
 * best fifth counts. Argument: seconds of each measurement (5).
 *
 * <pre>{@code
 * java -Xmx2g -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.spark.task.EncodingBenchmark
 * }</pre>
 */
final class EncodingBenchmark {
    private static final List<Integer> IMAGE = List.of(3, 32, 32);
    private static final int SIZE = 3 * 32 * 32;
    private static final int ROWS = 256;
    private static final int FIFTHS = 5;

    private EncodingBenchmark() {}

    public static void main(String[] arguments) {
        double seconds = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 5;
        System.out.printf("Java %s%n", Runtime.version());
        RowReader reader = Fixtures.reader(
                BinaryContent.UINT8, IMAGE, 1 / 255f, List.of(0.485f, 0.456f, 0.406f), List.of(0.229f, 0.224f, 0.225f));
        read(reader, seconds);
        scale(reader, seconds);
        for (Encoding encoding : List.of(Encoding.ADDITION, Encoding.CONCATENATION)) {
            for (int k : new int[] {2, 4}) {
                encode(reader, encoding, k, seconds);
            }
        }
    }

    private static void read(RowReader reader, double seconds) {
        RowReader bound = reader.at(1);
        UnsafeProjection packed = UnsafeProjection.create(new DataType[] {DataTypes.LongType, DataTypes.BinaryType});
        List<InternalRow> rows = IntStream.range(0, ROWS)
                .<InternalRow>mapToObj(
                        i -> packed.apply(Fixtures.row(i, bytes(i, 1).array())).copy())
                .toList();
        ByteBuffer into = ByteBuffer.allocate(ROWS * SIZE).order(ByteOrder.LITTLE_ENDIAN);
        measure("read", ROWS, seconds, () -> {
            into.clear();
            rows.forEach(row -> {
                try {
                    bound.read(row, into);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        });
    }

    private static void scale(RowReader reader, double seconds) {
        ByteBuffer raw = bytes(1, ROWS);
        FloatBuffer values = Model.direct(ROWS * SIZE);
        measure("scale", ROWS, seconds, () -> reader.scaling()
                .apply(reader.element(), raw.duplicate(), ROWS, 1, values.clear()));
    }

    private static void encode(RowReader reader, Encoding encoding, int k, double seconds) {
        CodingSpec coding = Fixtures.coding(k, 1, encoding, IMAGE, new Layout(k, 1, k + 1, Placement.ROTATED, 1));
        ParityQueries queries = new ParityQueries(coding, reader);
        List<ByteBuffer> batches = new ArrayList<>();
        for (int slot = 0; slot < k; slot++) {
            batches.add(bytes(slot, ROWS));
        }
        GroupShape shape = GroupShape.even(k, k * ROWS);
        measure(encoding + " of " + k, k * ROWS, seconds, () -> queries.encode(0, shape, batches));
    }

    private static ByteBuffer bytes(long seed, int rows) {
        byte[] bytes = new byte[rows * SIZE];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static void measure(String name, int rows, double seconds, Runnable batch) {
        double best = 0;
        for (int fifth = 0; fifth < FIFTHS; fifth++) {
            long start = System.nanoTime();
            long end = start + (long) (seconds / FIFTHS * 1e9);
            long turns = 0;
            long now = start;
            for (; now < end; now = System.nanoTime()) {
                batch.run();
                turns++;
            }
            best = Math.max(best, turns * (double) rows / (now - start) * 1e9);
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %,.0f rows/s, %.2f µs for each, %.1f GB/s of rows%n",
                name.toLowerCase(Locale.ROOT),
                best,
                1e6 / best,
                best * SIZE / 1e9);
    }
}
