/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;

/**
 * An injected fault: the first attempt at the first partition sleeps, or kills its executor. The next attempt does neither.
 *
 * @param seconds time to sleep
 * @param kill whether to kill the executor's process
 */
record Fault(double seconds, boolean kill) implements MapPartitionsFunction<Row, Row> {
    static final Fault NONE = new Fault(0, false);
    private static final String NUMBER = "\\d+(\\.\\d+)?";
    static final String OPTIONS = "[--straggler SECONDS | --kill]";

    /** Parses the options, at most one. */
    static Fault parse(List<String> options) {
        if (options.isEmpty()) {
            return NONE;
        }
        if (options.equals(List.of("--kill"))) {
            return new Fault(0, true);
        }
        if (options.size() == 2
                && options.get(0).equals("--straggler")
                && options.get(1).matches(NUMBER)) {
            return new Fault(Double.parseDouble(options.get(1)), false);
        }
        throw new IllegalArgumentException("the options are " + OPTIONS + ", got " + String.join(" ", options));
    }

    /** Returns the same rows, with the fault in one of their tasks. */
    Dataset<Row> in(Dataset<Row> rows) {
        return equals(NONE) ? rows : rows.mapPartitions(this, Encoders.row(rows.schema()));
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws IOException, InterruptedException {
        TaskContext task = TaskContext.get();
        if (task.partitionId() == 0 && task.attemptNumber() == 0 && task.stageAttemptNumber() == 0) {
            if (kill) {
                String process = String.valueOf(ProcessHandle.current().pid());
                new ProcessBuilder("kill", "-KILL", process).start().waitFor();
            }
            TimeUnit.MILLISECONDS.sleep((long) (1000 * seconds));
        }
        return rows;
    }

    @Override
    public String toString() {
        String sleeps = seconds > 0 ? "with a task that sleeps " + seconds + " s" : "without trouble";
        return kill ? "with an executor that is killed" : sleeps;
    }
}
