/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/**
 * What befalls the tasks of a prediction: a function for its rows, that runs in the same tasks and hands all rows on. Only the
 * first attempt of a segment is hit, in every stage that has the prediction, or in the first one; or every attempt that predicts.
 *
 * @param segments by their numbers, and how each is hit
 * @param row before which row, {@link #END} for after the last one
 * @param marks folder where a segment that is hit is noted, so that it happens once; null if there is none
 * @param everyPrediction whether each attempt is hit that predicts that row, and none that reconstructs it
 */
record Faults(Map<Integer, Fault> segments, int row, String marks, boolean everyPrediction)
        implements MapPartitionsFunction<Row, Row>, Serializable {
    static final int END = -1;

    Faults {
        segments = new TreeMap<>(segments);
    }

    Faults(Map<Integer, Fault> segments, int row) {
        this(segments, row, null, false);
    }

    static Faults at(int segment, Fault fault) {
        return new Faults(Map.of(segment, fault), 0);
    }

    /**
     * So that only a reconstruction answers: on a slow machine, a task may be so late before there is parity that it is begun again.
     */
    static Faults untilReconstructed(Map<Integer, Fault> segments, int row) {
        return new Faults(segments, row, null, true);
    }

    /** Hits a segment once, and notes that in a folder. */
    Faults once(Path folder) {
        return new Faults(segments, row, folder.toString(), false);
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws IOException {
        if (everyPrediction) {
            Fault each = segments.get(TaskContext.get().partitionId());
            return each == null ? rows : new HitIfPredicted(rows, each, row);
        }
        Optional<Fault> fault = of(TaskContext.get());
        return fault.isPresent() ? new Hit(rows, fault.get(), row) : rows;
    }

    /** How a task is to be hit, which is noted where there are marks. */
    Optional<Fault> of(TaskContext task) throws IOException {
        Fault fault = segments.get(task.partitionId());
        boolean first = task.attemptNumber() == 0 && task.stageAttemptNumber() == 0;
        return fault != null && first && mark(task.partitionId()) ? Optional.of(fault) : Optional.empty();
    }

    /** Whether a segment has not been hit before. */
    private boolean mark(int segment) throws IOException {
        if (marks == null) {
            return true;
        }
        try {
            Files.createFile(Path.of(marks, "segment-" + segment));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private static final class Hit implements Iterator<Row> {
        private final Iterator<Row> rows;
        private final Fault fault;
        private final int before;
        private int taken;

        Hit(Iterator<Row> rows, Fault fault, int before) {
            this.rows = rows;
            this.fault = fault;
            this.before = before;
        }

        @Override
        public boolean hasNext() {
            if (taken == before) {
                strike(fault);
            }
            boolean more = rows.hasNext();
            if (!more && before == END) {
                strike(fault);
            }
            return more;
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            taken++;
            return rows.next();
        }
    }

    private static final class HitIfPredicted implements Iterator<Row> {
        private final Iterator<Row> rows;
        private final Fault fault;
        private final int at;
        private int taken;

        HitIfPredicted(Iterator<Row> rows, Fault fault, int at) {
            this.rows = rows;
            this.fault = fault;
            this.at = at;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public Row next() {
            Row row = rows.next();
            if (taken++ == at && row.getAs("outcome").equals("predicted")) {
                strike(fault);
            }
            return row;
        }
    }

    private static void strike(Fault fault) {
        try {
            fault.strike();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
