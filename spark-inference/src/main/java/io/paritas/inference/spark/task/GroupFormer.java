/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Forms coding groups from the rows of a partition: k batches of data and r of parity, each for another segment of a
 * stripe. Groups go to the stripes in turn. Within a stripe, each group is rotated by one segment against the group
 * before, so that all segments get the same share of data and parity. Only the partition and its rows decide the
 * segments: rows in the same order go to the same segments.
 */
final class GroupFormer implements Iterator<InternalRow> {
    /* Odd, so that different places have different products. */
    private static final long MIX = 0x9e3779b97f4a7c15L;
    private static final long MIX_CONTENT = 0xc2b2ae3d27d4eb4fL;

    private final Iterator<InternalRow> rows;
    private final CodingSpec coding;
    private final Layout layout;
    private final RowCollector collector;
    private final ParityQueries parities;
    private final int partition;
    private final int start;
    /* Made one by one when they are asked for: a group may fill a great part of the memory. */
    private final Queue<Supplier<InternalRow>> formed = new ArrayDeque<>();
    private int groups;

    GroupFormer(int partition, Iterator<InternalRow> rows, RowPlan plan, CodingSpec coding, TaskContext task) {
        this.partition = partition;
        this.rows = rows;
        this.coding = coding;
        this.layout = coding.layout();
        this.start = start(partition, layout);
        this.collector = new RowCollector(plan, plan.batch().times(coding.k()), task);
        this.parities = new ParityQueries(coding, plan.reader());
    }

    /**
     * Whose turn the first group is. The partitions may be segments of another call, whose rows depend on their places in stripes: one
     * partition of each place begins at each stripe.
     */
    private static int start(int partition, Layout layout) {
        int common = BigInteger.valueOf(layout.stripes())
                .gcd(BigInteger.valueOf(layout.n()))
                .intValue();
        return partition + partition / (layout.segments() / common);
    }

    @Override
    public boolean hasNext() {
        while (formed.isEmpty() && rows.hasNext()) {
            collector.clear();
            while (rows.hasNext() && !collector.full()) {
                collector.add(rows.next());
            }
            form();
        }
        if (formed.isEmpty()) {
            collector.close();
        }
        return !formed.isEmpty();
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return formed.remove().get();
    }

    private void form() {
        GroupShape shape = GroupShape.even(coding.k(), collector.accepted());
        long group = group(collector.inputs(0, shape.rows()));
        int turn = start + groups;
        int stripe = turn % layout.stripes();
        int rotation = turn / layout.stripes() % layout.n();
        List<ByteBuffer> inputs = new ArrayList<>();
        for (int slot = 0; slot < coding.k(); slot++) {
            int from = shape.first(slot);
            int to = from + shape.rows(slot);
            inputs.add(collector.inputs(from, to));
            if (to > from || slot == 0) {
                int at = slot;
                int segment = stripe * layout.n() + (slot + rotation) % layout.n();
                formed.add(() -> Batch.exchanged(
                        segment,
                        group,
                        at,
                        shape.rows(),
                        at == 0 ? collector.takeRowsAndRejected(to) : collector.takeRows(to - from),
                        bytes(inputs.get(at))));
            }
        }
        if (layout.coded(stripe) && shape.rows() > 0) {
            IntFunction<byte[]> queries = parities.of(shape, inputs);
            for (int parity = 0; parity < layout.r(); parity++) {
                int slot = coding.k() + parity;
                int number = parity;
                int segment = stripe * layout.n() + (slot + rotation) % layout.n();
                formed.add(() -> Batch.exchanged(
                        (1 + number) * layout.segments() + segment,
                        group,
                        slot,
                        shape.rows(),
                        PackedRows.NONE.bytes(),
                        queries.apply(number)));
            }
        }
        groups++;
    }

    /**
     * A checksum of the group's place and inputs; unique within a query. A nondeterministic query that had other rows
     * at this place before does not find their predictions.
     */
    private long group(ByteBuffer inputs) {
        CRC32C content = new CRC32C();
        content.update(inputs);
        long place = (long) partition << 32 | groups;
        return (place * MIX) ^ (content.getValue() * MIX_CONTENT);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
