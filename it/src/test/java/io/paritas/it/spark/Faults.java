/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/**
 * What befalls the tasks of a prediction: a function for its rows, that runs in the same tasks and hands all rows on. Only the
 * first attempt of a unit is hit.
 *
 * @param units by their numbers, and how each is hit
 * @param row before which row, {@link #END} for after the last one
 */
record Faults(Map<Integer, Fault> units, int row) implements MapPartitionsFunction<Row, Row>, Serializable {
    static final int END = -1;

    Faults {
        units = new TreeMap<>(units);
    }

    static Faults none() {
        return new Faults(Map.of(), 0);
    }

    static Faults at(int unit, Fault fault) {
        return new Faults(Map.of(unit, fault), 0);
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        TaskContext task = TaskContext.get();
        Fault fault = units.get(task.partitionId());
        boolean first = task.attemptNumber() == 0 && task.stageAttemptNumber() == 0;
        return fault != null && first ? new Hit(rows, fault, row) : rows;
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
                strike();
            }
            boolean more = rows.hasNext();
            if (!more && before == END) {
                strike();
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

        private void strike() {
            try {
                fault.strike();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
