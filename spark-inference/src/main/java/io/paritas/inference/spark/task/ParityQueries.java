/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.QueryEncoder;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.input.Scaling;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes the parity queries of batches for the exchange. Sums of bytes cross as 16-bit numbers if all of them fit, and
 * are scaled afterwards; this is correct because scaling is affine. All other queries are made of scaled inputs and
 * cross as float32.
 */
final class ParityQueries {
    private final Combinations code;
    private final QueryEncoder encoder;
    private final RowReader reader;
    private final int size;
    private final boolean[] sums;

    ParityQueries(CodingSpec coding, RowReader reader) {
        this.code = coding.plan().code();
        this.encoder = coding.encoder();
        this.reader = reader;
        this.size = size(coding);
        this.sums = new boolean[coding.layout().r()];
        for (int parity = 0; parity < sums.length; parity++) {
            sums[parity] = areSums(coding, reader, parity);
        }
    }

    private static int size(CodingSpec coding) {
        return coding.shape().stream().reduce(1, Math::multiplyExact);
    }

    private static boolean areSums(CodingSpec coding, RowReader reader, int parity) {
        return coding.plan().encoding() == Encoding.ADDITION
                && reader.element() == Element.UINT8
                && 255 * coding.plan().code().total(parity) <= 65535;
    }

    /** The format of the queries of a parity. */
    static PredictedBatches.Inputs inputs(CodingSpec coding, RowReader reader, int parity) {
        return areSums(coding, reader, parity)
                ? new PredictedBatches.Inputs(
                        Element.UINT16, coding.plan().code().total(parity), reader.scaling())
                : new PredictedBatches.Inputs(Element.FLOAT32, 1, Scaling.identity(size(coding)));
    }

    /**
     * Encodes the parity queries of k batches.
     *
     * @param batches the inputs of the batches, as the reader writes them
     */
    byte[] encode(int parity, GroupShape shape, List<ByteBuffer> batches) {
        return sums[parity] ? sums(parity, shape, batches) : encoded(parity, shape, batches);
    }

    private byte[] sums(int parity, GroupShape shape, List<ByteBuffer> batches) {
        byte[] result = new byte[Math.multiplyExact(shape.height(), size * Short.BYTES)];
        int[] sum = new int[size];
        byte[] row = new byte[size];
        ByteBuffer out = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < shape.height(); i++) {
            int[] members = shape.members(i);
            Arrays.fill(sum, 0);
            for (int member = 0; member < members.length; member++) {
                int weight = (int) code.weight(parity, member, members.length);
                batches.get(members[member]).get(i * size, row);
                for (int v = 0; v < size; v++) {
                    sum[v] += weight * (row[v] & 0xFF);
                }
            }
            for (int v = 0; v < size; v++) {
                out.putShort((short) sum[v]);
            }
        }
        return result;
    }

    private byte[] encoded(int parity, GroupShape shape, List<ByteBuffer> batches) {
        float[][] scaled = new float[batches.size()][];
        for (int slot = 0; slot < scaled.length; slot++) {
            scaled[slot] = scaled(batches.get(slot), shape.rows(slot));
        }
        byte[] result = new byte[Math.multiplyExact(shape.height(), size * Float.BYTES)];
        FloatBuffer out = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        for (int i = 0; i < shape.height(); i++) {
            List<float[]> queries = new ArrayList<>();
            for (int slot : shape.members(i)) {
                queries.add(Arrays.copyOfRange(scaled[slot], i * size, (i + 1) * size));
            }
            out.put(encoder.encode(queries, parity));
        }
        return result;
    }

    private float[] scaled(ByteBuffer raw, int rows) {
        FloatBuffer values = FloatBuffer.allocate(rows * size);
        reader.scaling().apply(reader.element(), raw.duplicate(), rows, 1, values);
        return values.array();
    }
}
