/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code CALL paritas.read_checkpoint(directories => 'file:/disk1/c, file:/disk2/c, …', name => 'restored')}. */
final class ReadCheckpointProcedure extends SessionProcedure {
    private static final StructType SCHEMA = StructType.fromDDL("name STRING NOT NULL, partitions INT NOT NULL");

    ReadCheckpointProcedure() {
        super(
                "read_checkpoint",
                "Creates a temporary view of the rows of a checkpoint, which are read whenever the view is.",
                Checkpoints.directories(),
                Arguments.required("name", "the new temporary view"));
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        Arguments arguments = new Arguments(parameters(), input);
        String name = arguments.text(1);
        return Checkpoints.run(arguments.text(0), (session, directories) -> {
            TableIdentifier view = KeptViews.of(session).newView(name);
            Dataset<Row> rows = ErasureCodedCheckpoint.read(session, directories);
            createView(rows, view);
            return Result.of(SCHEMA, List.of(new GenericInternalRow(new Object[] {
                UTF8String.fromString(view.table()), rows.rdd().getNumPartitions()
            })));
        });
    }

    private static void createView(Dataset<Row> rows, TableIdentifier view) {
        try {
            rows.createTempView(view.quotedString());
        } catch (AnalysisException e) { // since it was looked for
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
