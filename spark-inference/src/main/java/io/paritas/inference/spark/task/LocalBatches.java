/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Batches made where the rows are, without an exchange. Each of the first k segments of a stripe reads one partition;
 * the segments of its parity read all k of them again. A partition must return its rows in the same order whenever it
 * is read, because coding goes by position.
 *
 * <p>The partitions may be the segments of another such call: as many as there are segments here. Then each segment reads
 * the one at its place. At the places of parity these have no rows, but work for others.
 *
 * @param partitions number of partitions of the rows
 * @param plan how to read the rows
 * @param coding the code and its segments
 */
record LocalBatches(int partitions, RowPlan plan, CodingSpec coding) implements SegmentSource {
    private static final long serialVersionUID = 1;

    @Override
    public List<Integer> partitions(int segment) {
        Layout layout = coding.layout();
        int inStripe = areSegments() ? layout.n() : layout.k();
        int first = layout.stripeOf(segment) * inStripe;
        int place = layout.placeOf(segment);
        return IntStream.range(first, Math.min(first + inStripe, partitions))
                .filter(partition ->
                        partition == first + place || (place >= layout.k() && partition < first + layout.k()))
                .boxed()
                .toList();
    }

    /** Whether the partitions are segments. Otherwise there are more segments than partitions, because those of parity have none. */
    private boolean areSegments() {
        return partitions == coding.layout().segments();
    }

    @Override
    public boolean opensAll() {
        return false;
    }

    @Override
    public Iterator<Batch> data(int segment, IntFunction<Iterator<InternalRow>> rows) {
        int place = coding.layout().placeOf(segment);
        boolean isParity = place >= coding.layout().k();
        boolean has = isParity ? areSegments() : !partitions(segment).isEmpty();
        return has
                ? batches(rows.apply(isParity ? coding.layout().k() : 0), segment, place)
                : List.<Batch>of().iterator();
    }

    private Batches batches(Iterator<InternalRow> rows, int segment, int slot) {
        return new Batches(rows, plan, (long) coding.layout().stripeOf(segment) << 32, slot, TaskContext.get());
    }

    @Override
    public Iterator<Batch> parity(int segment, int parity, IntFunction<Iterator<InternalRow>> rows) {
        List<Iterator<Batch>> data = new ArrayList<>();
        for (int slot = 0; slot < coding.layout().k(); slot++) {
            boolean has = areSegments() || slot < partitions(segment).size();
            data.add(
                    has
                            ? batches(rows.apply(slot), segment, slot)
                            : List.<Batch>of().iterator());
        }
        return new Parities(data, parity, new ParityQueries(coding, plan.reader()));
    }

    /** The parity of batches that are at the same place in their partitions. */
    private static final class Parities implements Iterator<Batch> {
        private final List<Iterator<Batch>> data;
        private final int parity;
        private final ParityQueries queries;

        Parities(List<Iterator<Batch>> data, int parity, ParityQueries queries) {
            this.data = data;
            this.parity = parity;
            this.queries = queries;
        }

        @Override
        public boolean hasNext() {
            return data.stream().anyMatch(Iterator::hasNext);
        }

        @Override
        public Batch next() {
            long group = 0;
            int[] rows = new int[data.size()];
            List<ByteBuffer> inputs = new ArrayList<>();
            for (int slot = 0; slot < rows.length; slot++) {
                if (data.get(slot).hasNext()) {
                    Batch batch = data.get(slot).next();
                    group = batch.group();
                    rows[slot] = batch.size();
                    inputs.add(batch.inputs());
                } else {
                    inputs.add(ByteBuffer.allocate(0));
                }
            }
            GroupShape shape = new GroupShape(rows);
            ByteBuffer encoded = ByteBuffer.wrap(queries.encode(parity, shape, inputs));
            return new Batch(group, data.size() + parity, shape, PackedRows.NONE, encoded);
        }
    }
}
