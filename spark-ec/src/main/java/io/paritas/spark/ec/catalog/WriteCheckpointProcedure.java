/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.ErasureCodedCheckpoint;
import io.paritas.spark.ec.checkpoint.CheckpointWriter;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code CALL paritas.write_checkpoint(source => 'events', code => 'rs-3-2', directories => 'file:/disk1/c, file:/disk2/c, …')}. */
final class WriteCheckpointProcedure extends SessionProcedure {
    private static final StructType SCHEMA =
            StructType.fromDDL("code STRING NOT NULL, directories INT NOT NULL, survives INT NOT NULL");

    WriteCheckpointProcedure() {
        super(
                "write_checkpoint",
                "Computes rows and writes them as unit files, which survive the loss of directories.",
                Arguments.required("source", "a table, a view or a query"),
                Arguments.required("code", "such as rs-3-2, paritas-6-3, xor-4 or lrc-12-2-2"),
                Checkpoints.directories(),
                Arguments.optional("mode", "error, if there must be no checkpoint, or overwrite; NULL means error"));
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        Arguments arguments = new Arguments(parameters(), input);
        String source = arguments.text(0);
        String code = arguments.text(1);
        SaveMode mode = arguments.mode(3);
        int directories = Checkpoints.run(arguments.text(2), (session, paths) -> {
            ErasureCodedCheckpoint.write(new SessionNames(session).rows(source), code, paths, mode);
            return paths.size();
        });
        int survives = CheckpointWriter.survives(CodeName.parse(code), directories);
        return Result.of(
                SCHEMA,
                List.of(new GenericInternalRow(new Object[] {UTF8String.fromString(code), directories, survives})));
    }
}
