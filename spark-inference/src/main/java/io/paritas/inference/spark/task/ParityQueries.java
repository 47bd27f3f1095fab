/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.ModelException;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.spark.input.Element;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.input.Scaling;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes the parity queries of batches for the exchange. Sums of bytes cross as 16-bit numbers if all of them fit, and
 * are scaled afterwards; this is correct because scaling is affine. All other queries are made of scaled inputs and
 * cross as float32.
 */
final class ParityQueries {
    private static final Logger LOG = LoggerFactory.getLogger(ParityQueries.class);

    /* Number of values of a block: few enough for the innermost cache. */
    private static final int BLOCK = 2048;

    private final CodingSpec coding;
    private final RowReader reader;
    private final boolean networks;
    private final int size;
    private final InputRange range;
    private final List<Optional<Combinations>> sums = new ArrayList<>();
    private GroupEncoder encoder;
    private boolean failed;

    ParityQueries(CodingSpec coding, RowReader reader) {
        this.coding = coding;
        this.reader = reader;
        this.networks = !coding.plan().networks().isEmpty();
        this.size = size(coding);
        this.range = coding.range();
        for (int parity = 0; parity < coding.layout().r(); parity++) {
            sums.add(sums(coding, reader, parity));
        }
    }

    private static int size(CodingSpec coding) {
        return coding.shape().stream().reduce(1, Math::multiplyExact);
    }

    /** The weights of the queries of a parity that are sums of bytes; empty for all others. */
    private static Optional<Combinations> sums(CodingSpec coding, RowReader reader, int parity) {
        return coding.plan()
                .sums()
                .filter(code -> reader.element() == Element.UINT8 && 255 * code.total(parity) <= 65535);
    }

    /** The format of the queries of a parity. */
    static PredictedBatches.Inputs inputs(CodingSpec coding, RowReader reader, int parity) {
        return sums(coding, reader, parity)
                .map(code -> new PredictedBatches.Inputs(Element.UINT16, code.total(parity), reader.scaling()))
                .orElseGet(() -> new PredictedBatches.Inputs(Element.FLOAT32, 1, Scaling.identity(size(coding))));
    }

    /**
     * Encodes the parity queries of k batches.
     *
     * @param batches the inputs of the batches, as the reader writes them
     */
    byte[] encode(int parity, GroupShape shape, List<ByteBuffer> batches) {
        return sums.get(parity)
                .map(code -> sums(code, parity, shape, batches))
                .orElseGet(() -> encoded(parity, shape, batches));
    }

    private byte[] sums(Combinations code, int parity, GroupShape shape, List<ByteBuffer> batches) {
        byte[] result = new byte[Math.multiplyExact(shape.height(), size * Short.BYTES)];
        ShortBuffer out = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
        byte[] bytes = new byte[BLOCK];
        short[] sum = new short[BLOCK];
        for (GroupShape.Band band : shape.bands()) {
            int end = band.to() * size;
            for (int at = band.from() * size; at < end; at += BLOCK) {
                int count = Math.min(BLOCK, end - at);
                Arrays.fill(sum, (short) 0);
                for (int member = 0; member < band.members().length; member++) {
                    batches.get(band.members()[member]).get(at, bytes, 0, count);
                    add(bytes, count, (int) code.weight(parity, member, band.members().length), sum);
                }
                out.put(sum, 0, count);
            }
        }
        return result;
    }

    /* Apart, because the compiler handles small loops over arrays best. */
    private static void add(byte[] bytes, int count, int weight, short[] sum) {
        for (int i = 0; i < count; i++) {
            sum[i] += (short) (weight * (bytes[i] & 0xFF));
        }
    }

    /**
     * The parity queries of k batches, each encoded when it is asked for. A network makes all of them for the first: they stay until they
     * are asked for, which is once.
     *
     * @param batches as above
     */
    IntFunction<byte[]> of(GroupShape shape, List<ByteBuffer> batches) {
        if (!networks) {
            return parity -> encode(parity, shape, batches);
        }
        List<float[]> made = new ArrayList<>();
        return parity -> {
            if (made.isEmpty()) {
                made.addAll(all(shape, batches));
            }
            return bytes(made.set(parity, null));
        };
    }

    /** All queries; NaN once the network has failed, which may be short of memory: nothing is reconstructed from them. */
    private List<float[]> all(GroupShape shape, List<ByteBuffer> batches) {
        List<float[]> all = Stream.generate(() -> new float[Math.multiplyExact(shape.height(), size)])
                .limit(sums.size())
                .toList();
        try {
            if (!failed) {
                encode(shape, batches, (members, band) -> encoder().encode(members, band.from(), band.to(), all), all);
            }
        } catch (ModelException e) {
            LOG.warn("Paritas: rows of this task have no parity: {}", e.getMessage());
            failed = true;
        }
        if (failed) {
            all.forEach(queries -> Arrays.fill(queries, Float.NaN));
        }
        return all;
    }

    private GroupEncoder encoder() {
        encoder = encoder == null ? coding.encoder() : encoder;
        return encoder;
    }

    private byte[] encoded(int parity, GroupShape shape, List<ByteBuffer> batches) {
        float[] queries = new float[Math.multiplyExact(shape.height(), size)];
        encode(
                shape,
                batches,
                (members, band) -> encoder().encode(members, parity, band.from(), band.to(), queries),
                List.of(queries));
        return bytes(queries);
    }

    /**
     * Encodes the groups of all bands. A row far beyond what the code was trained on would spoil the reconstructions of the others in
     * its group, in a way that nobody sees: all of that group's parity is NaN, so that nothing is reconstructed from it. (One NaN among
     * the pixels is not enough: a network's maxima may drop it.)
     *
     * @param encode writes the parity queries of a band
     * @param into where it writes them
     */
    private void encode(
            GroupShape shape,
            List<ByteBuffer> batches,
            BiConsumer<List<float[]>, GroupShape.Band> encode,
            List<float[]> into) {
        float[][] scaled = new float[batches.size()][];
        for (int slot = 0; slot < scaled.length; slot++) {
            scaled[slot] = scaled(batches.get(slot), shape.rows(slot));
        }
        for (GroupShape.Band band : shape.bands()) {
            List<float[]> members =
                    Arrays.stream(band.members()).mapToObj(slot -> scaled[slot]).toList();
            encode.accept(members, band);
            for (int row = band.from(); row < band.to(); row++) {
                int from = row * size;
                if (!members.stream().allMatch(member -> range.holds(member, from, from + size))) {
                    into.forEach(queries -> Arrays.fill(queries, from, from + size, Float.NaN));
                }
            }
        }
    }

    private static byte[] bytes(float... queries) {
        byte[] result = new byte[Math.multiplyExact(queries.length, Float.BYTES)];
        ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().put(queries);
        return result;
    }

    private float[] scaled(ByteBuffer raw, int rows) {
        FloatBuffer values = FloatBuffer.allocate(rows * size);
        reader.scaling().apply(reader.element(), raw.duplicate(), rows, 1, values);
        return values.array();
    }
}
