/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import io.paritas.spark.ec.checkpoint.Damage;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code CALL paritas.verify_checkpoint(directories => 'file:/disk1/c, file:/disk2/c, …')}, and {@code repair_checkpoint}. */
final class DamageProcedure extends SessionProcedure {
    private static final StructType SCHEMA = StructType.fromDDL("file STRING NOT NULL, trouble STRING NOT NULL");

    private final Checkpoints.Work<List<Damage>> work;

    private DamageProcedure(String name, String summary, Checkpoints.Work<List<Damage>> work) {
        super(name, summary, Checkpoints.directories());
        this.work = work;
    }

    static DamageProcedure verify() {
        return new DamageProcedure(
                "verify_checkpoint",
                "Reads every byte of a checkpoint, and lists the files that are missing or damaged.",
                ErasureCodedCheckpoint::verify);
    }

    static DamageProcedure repair() {
        return new DamageProcedure(
                "repair_checkpoint",
                "Rebuilds the lost files of a checkpoint, and lists those that were missing or damaged.",
                ErasureCodedCheckpoint::repair);
    }

    /** A row for each damaged file. */
    @Override
    public Iterator<Scan> call(InternalRow input) {
        String directories = new Arguments(parameters(), input).text(0);
        return Result.of(
                SCHEMA,
                Checkpoints.run(directories, work).stream()
                        .<InternalRow>map(damage -> new GenericInternalRow(new Object[] {
                            UTF8String.fromString(damage.file()), UTF8String.fromString(damage.trouble())
                        }))
                        .toList());
    }
}
