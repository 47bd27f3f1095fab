/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.Erasures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.hadoop.io.IOUtils;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task that reads a partition. Each element is valid until the next one is read.
 *
 * @param storage the file systems
 * @param layout places of the unit files
 * @param format format of the elements
 * @param degradedPartitions counts partitions that were read with missing or damaged units
 * @param damagedUnits counts these units
 */
record PartReader<T>(
        Storage storage,
        UnitFileLayout layout,
        Format<T> format,
        LongAccumulator degradedPartitions,
        LongAccumulator damagedUnits)
        implements FlatMapFunction<Iterator<Part>, T> {
    private static final Logger LOG = LoggerFactory.getLogger(PartReader.class);

    @Override
    public Iterator<T> call(Iterator<Part> parts) {
        if (!parts.hasNext()) {
            return Collections.emptyIterator();
        }
        Part part = parts.next();
        Elements elements = new Elements(part, new PartInput(layout.group(part), new UnitFiles(storage, layout, part)));
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> elements.end());
        return elements;
    }

    private void count(Part part, Erasures damaged) {
        if (damaged.size() > 0) {
            degradedPartitions.add(1);
            damagedUnits.add(damaged.size());
            LOG.warn(
                    "units {} of partition {} of checkpoint {} are missing or damaged: repair it with"
                            + " ErasureCodedCheckpoint.repair, in SQL CALL paritas.repair_checkpoint",
                    damaged,
                    part.index(),
                    layout.id());
        }
    }

    /** The checkpoint that is in the directories now, if it is another one. */
    private Optional<String> replacement(IOException failure) {
        try {
            String id = Checkpoint.findId(storage, layout.known());
            return id.equals(layout.id()) ? Optional.empty() : Optional.of(id);
        } catch (IOException e) {
            failure.addSuppressed(e);
            return Optional.empty();
        }
    }

    /** The elements of a partition. A task may read many partitions: each gives its files and memory back when it has been read. */
    private final class Elements implements Iterator<T> {
        private final Part part;
        /** Null at the end. */
        private PartInput input;

        /** Null until an element is read, and at the end. */
        private Format.Source<T> source;

        private long done;

        Elements(Part part, PartInput input) {
            this.part = part;
            this.input = input;
        }

        @Override
        public boolean hasNext() {
            if (done == part.count()) {
                end();
            }
            return done < part.count();
        }

        void end() {
            if (input != null) {
                count(part, input.damaged());
                IOUtils.closeStream(source);
                input.close();
                input = null;
                source = null;
            }
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            try {
                source = source == null ? format.read(input) : source;
                done++;
                return source.next();
            } catch (IOException e) {
                String message = "partition " + part.index() + " of checkpoint " + layout.id() + " cannot be read: "
                        + replacement(e)
                                .map(id -> "checkpoint " + id + " has replaced it; read the directories again")
                                .orElse(e.getMessage());
                throw new UncheckedIOException(message, e);
            }
        }
    }
}
