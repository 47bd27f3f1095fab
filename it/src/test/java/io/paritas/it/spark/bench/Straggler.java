/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/**
 * What befalls the first attempts of some segments, in the task that predicts them: when its first batch is predicted.
 *
 * @param segments whom it befalls
 * @param kind what
 */
record Straggler(Set<Integer> segments, Kind kind) implements MapPartitionsFunction<Row, Row> {
    private static final long serialVersionUID = 1;

    enum Kind {
        NONE("none"),
        SLEEP("one task sleeps 60 s"),
        TWO_SLEEP("two tasks sleep 60 s"),
        KILL("an executor is killed"),
        FREEZE("an executor freezes");

        final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws Exception {
        TaskContext task = TaskContext.get();
        if (segments.contains(task.partitionId()) && task.attemptNumber() == 0 && task.stageAttemptNumber() == 0) {
            if (rows.hasNext()) {
                Row first = rows.next();
                befall();
                return new First(first, rows);
            }
            befall();
        }
        return rows;
    }

    private void befall() throws InterruptedException, IOException {
        String pid = String.valueOf(ProcessHandle.current().pid());
        switch (kind) {
            case NONE -> {}
            case SLEEP, TWO_SLEEP -> Thread.sleep(60_000);
            case KILL -> signal(List.of("kill", "-KILL", pid));
            case FREEZE -> signal(List.of("kill", "-STOP", pid));
        }
    }

    private static void signal(List<String> command) throws IOException, InterruptedException {
        new ProcessBuilder(command).start().waitFor();
        Thread.sleep(60_000);
    }

    /** Rows with one before them. */
    private static final class First implements Iterator<Row> {
        private final Iterator<Row> rest;
        private Row first;

        First(Row first, Iterator<Row> rest) {
            this.first = first;
            this.rest = rest;
        }

        @Override
        public boolean hasNext() {
            return first != null || rest.hasNext();
        }

        @Override
        public Row next() {
            Row next = first == null ? rest.next() : first;
            first = null;
            return next;
        }
    }
}
