/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.checkpoint.Damage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** What the procedures of checkpoints share. */
final class Checkpoints {
    private static final StructType DAMAGE = StructType.fromDDL("file STRING NOT NULL, trouble STRING NOT NULL");

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

    /** A row for each damaged file. */
    static Iterator<Scan> rows(List<Damage> damages) {
        return Result.of(
                DAMAGE,
                damages.stream()
                        .<InternalRow>map(damage -> new GenericInternalRow(new Object[] {
                            UTF8String.fromString(damage.file()), UTF8String.fromString(damage.trouble())
                        }))
                        .toList());
    }
}
