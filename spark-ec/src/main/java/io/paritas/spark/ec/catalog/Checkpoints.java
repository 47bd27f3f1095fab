/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;

/** What the procedures of checkpoints share. */
final class Checkpoints {
    private Checkpoints() {}

    /** Work on directories. */
    @FunctionalInterface
    interface Work<T> {
        T on(SparkSession session, List<String> directories) throws IOException;
    }

    static ProcedureParameter directories() {
        return Arguments.required("directories", "paths of directories with commas between them");
    }

    /**
     * Works on the directories of a parameter.
     *
     * @throws IllegalArgumentException if that fails, because Spark shows no other message of a procedure
     */
    static <T> T run(String directories, Work<T> work) {
        List<String> paths =
                Arrays.stream(directories.split(",", -1)).map(String::strip).toList();
        if (paths.stream().anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException(
                    "directories must be paths with commas between them, got '" + directories + "'");
        }
        try {
            return work.on((SparkSession) org.apache.spark.sql.SparkSession.active(), paths);
        } catch (IOException e) {
            throw new IllegalArgumentException("the checkpoint in " + directories + ": " + e.getMessage(), e);
        }
    }
}
