/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.Erasures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The task that reads a partition. Each row is valid until the next one is asked for.
 *
 * @param storage the file systems
 * @param layout where the unit files are
 * @param format of the rows
 * @param degradedPartitions counts those that were read with something missing or damaged
 * @param damagedUnits counts their units that were found missing or damaged
 */
record PartReader(
        Storage storage,
        Layout layout,
        RowFormat format,
        LongAccumulator degradedPartitions,
        LongAccumulator damagedUnits)
        implements FlatMapFunction<Iterator<Part>, InternalRow> {
    private static final System.Logger LOG = System.getLogger(PartReader.class.getName());

    @Override
    public Iterator<InternalRow> call(Iterator<Part> parts) {
        if (!parts.hasNext()) {
            return Collections.emptyIterator();
        }
        Part part = parts.next();
        PartInput input = new PartInput(layout.group(part), new UnitFiles(storage, layout, part));
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> {
            count(part, input.damaged());
            input.close();
        });
        return new RowIterator(part, input);
    }

    private void count(Part part, Erasures damaged) {
        if (damaged.size() > 0) {
            degradedPartitions.add(1);
            damagedUnits.add(damaged.size());
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Units " + damaged + " of partition " + part.index() + " of checkpoint " + layout.id()
                            + " are missing or damaged. Repair it with ErasureCodedCheckpoint.repair");
        }
    }

    /** The rows of a partition. */
    private final class RowIterator implements Iterator<InternalRow> {
        private final Part part;
        private final PartInput input;
        private RowFormat.Rows rows;
        private long done;

        RowIterator(Part part, PartInput input) {
            this.part = part;
            this.input = input;
        }

        @Override
        public boolean hasNext() {
            return done < part.rows();
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            try {
                rows = rows == null ? format.read(input) : rows;
                done++;
                return rows.next();
            } catch (IOException e) {
                String message = "Partition " + part.index() + " of checkpoint " + layout.id() + " cannot be read: "
                        + e.getMessage();
                throw new UncheckedIOException(message, e);
            }
        }
    }
}
