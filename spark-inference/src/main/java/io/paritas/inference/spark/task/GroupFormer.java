/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.spark.driver.Layout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.zip.CRC32C;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Makes batches of coding groups from the rows of a partition: k of data and r of parity at a time, each for another unit of a
 * stripe. Groups take the stripes in turn, and in a stripe their batches move on by one unit with each, so that the units get
 * equally much data and parity. What the rows are alone decides: rows that come in the same order come to the same units.
 */
final class GroupFormer implements Iterator<InternalRow> {
    /* Odd, so that different places have different products. */
    private static final long MIX = 0x9e3779b97f4a7c15L;
    private static final long MIX_CONTENT = 0xc2b2ae3d27d4eb4fL;

    private static final byte[] NO_ROWS = PackedRows.pack(List.of(), List.of());

    private final Iterator<InternalRow> rows;
    private final Coding coding;
    private final Layout layout;
    private final RowCollector collector;
    private final ParityQueries parities;
    private final int partition;
    private final Queue<InternalRow> formed = new ArrayDeque<>();
    private int groups;

    GroupFormer(int partition, Iterator<InternalRow> rows, RowPlan plan, Coding coding) {
        this.partition = partition;
        this.rows = rows;
        this.coding = coding;
        this.layout = coding.layout();
        this.collector = new RowCollector(plan, Math.multiplyExact(coding.k(), plan.batchRows()));
        this.parities = new ParityQueries(coding, plan.reader());
    }

    @Override
    public boolean hasNext() {
        while (formed.isEmpty() && rows.hasNext()) {
            while (rows.hasNext() && !collector.full()) {
                collector.add(rows.next());
            }
            form();
        }
        return !formed.isEmpty();
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return formed.remove();
    }

    private void form() {
        GroupShape shape = GroupShape.even(coding.k(), collector.accepted());
        long group = group(collector.inputs(0, shape.rows()));
        int turn = partition + groups;
        int stripe = turn % layout.stripes();
        int rotation = turn / layout.stripes() % layout.n();
        List<ByteBuffer> inputs = new ArrayList<>();
        for (int slot = 0; slot < coding.k(); slot++) {
            int from = shape.first(slot);
            int to = from + shape.rows(slot);
            inputs.add(collector.inputs(from, to));
            if (to > from || slot == 0) {
                byte[] packed = PackedRows.pack(collector.rows(from, to), slot == 0 ? collector.rejected() : List.of());
                int unit = stripe * layout.n() + (slot + rotation) % layout.n();
                formed.add(Batch.exchanged(unit, group, slot, shape.rows(), packed, bytes(inputs.get(slot))));
            }
        }
        if (layout.coded(stripe) && shape.rows() > 0) {
            for (int parity = 0; parity < layout.r(); parity++) {
                int slot = coding.k() + parity;
                int unit = stripe * layout.n() + (slot + rotation) % layout.n();
                byte[] queries = parities.encode(parity, shape, inputs);
                formed.add(Batch.exchanged(
                        (1 + parity) * layout.units() + unit, group, slot, shape.rows(), NO_ROWS, queries));
            }
        }
        groups++;
        collector.clear();
    }

    /**
     * A number that a group has alone, and only as long as its rows are the same: predictions that were kept of other rows, which
     * a query that is not deterministic may have had here before, are then not found.
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
