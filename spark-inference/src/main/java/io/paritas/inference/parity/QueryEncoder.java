/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.data.Images;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Combines the queries of a group into parity queries for parity models. Thread-safe. */
@PublicApi
public final class QueryEncoder implements GroupEncoder {
    private final Combinations code;
    private final Encoding encoding;
    private final List<Integer> shape;
    private final int size;
    /** What makes each member's tile of a concatenation. */
    private final List<UnaryOperator<float[]>> tiles;

    /**
     * An encoder for queries of that shape.
     *
     * @throws IllegalArgumentException if the encoding cannot take such queries
     */
    public QueryEncoder(Combinations code, Encoding encoding, List<Integer> shape) {
        encoding.require(code, shape);
        this.code = code;
        this.encoding = encoding;
        this.shape = List.copyOf(shape);
        this.size = shape.stream().reduce(1, Math::multiplyExact);
        this.tiles = encoding == Encoding.CONCATENATION
                ? IntStream.range(0, code.k()).mapToObj(this::tile).toList()
                : List.of();
    }

    private UnaryOperator<float[]> tile(int place) {
        return Images.resizer(shape.get(0), shape.get(1), shape.get(2), tileHeight(), tileWidth(place));
    }

    private int tileHeight() {
        return code.k() > 2 ? shape.get(1) / 2 : shape.get(1);
    }

    private int tileWidth(int place) {
        boolean alone = place % 2 == 0 && place == code.k() - 1;
        return alone ? shape.get(2) : shape.get(2) / 2;
    }

    @Override
    public float[] encode(List<float[]> queries, int parity) {
        float[] result = new float[size];
        encode(queries, parity, result, 0);
        return result;
    }

    /**
     * Writes the parity query of a group into an array, from an offset on.
     *
     * @throws IllegalArgumentException if there are not k queries of the shape, or the code has no such parity
     */
    public void encode(List<float[]> queries, int parity, float[] into, int offset) {
        code.requireMembers(queries.size());
        code.requireParity(parity);
        for (float[] query : queries) {
            if (query.length != size) {
                throw new IllegalArgumentException(
                        "every query must have the " + size + " values of shape " + shape + ", got " + query.length);
            }
        }
        if (encoding == Encoding.ADDITION) {
            add(queries, parity, 0, into, offset, size);
        } else {
            concatenate(queries, into, offset);
        }
    }

    @Override
    public void encode(List<float[]> batches, int parity, int from, int to, float[] into) {
        code.requireMembers(batches.size());
        code.requireParity(parity);
        if (encoding == Encoding.ADDITION) {
            add(batches, parity, from * size, into, from * size, (to - from) * size);
            return;
        }
        for (int group = from; group < to; group++) {
            int start = group * size;
            concatenate(
                    batches.stream()
                            .map(batch -> Arrays.copyOfRange(batch, start, start + size))
                            .toList(),
                    into,
                    start);
        }
    }

    private void add(List<float[]> queries, int parity, int start, float[] into, int offset, int count) {
        Arrays.fill(into, offset, offset + count, 0);
        for (int member = 0; member < queries.size(); member++) {
            float weight = (float) code.weight(parity, member, queries.size());
            float[] query = queries.get(member);
            for (int i = 0; i < count; i++) {
                into[offset + i] += weight * query[start + i];
            }
        }
    }

    private void concatenate(List<float[]> queries, float[] into, int offset) {
        int channels = shape.get(0);
        int height = shape.get(1);
        int width = shape.get(2);
        int tileHeight = tileHeight();
        for (int place = 0; place < code.k(); place++) {
            int tileWidth = tileWidth(place);
            float[] query = queries.get(code.memberAt(place, queries.size()));
            float[] tile = tiles.get(place).apply(query);
            int top = place / 2 * tileHeight;
            int left = place % 2 * tileWidth;
            for (int row = 0; row < channels * tileHeight; row++) {
                int channel = row / tileHeight;
                int line = top + row % tileHeight;
                System.arraycopy(
                        tile, row * tileWidth, into, offset + (channel * height + line) * width + left, tileWidth);
            }
        }
    }
}
