/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Scan;

/** {@code CALL paritas.repair_checkpoint(directories => 'file:/disk1/c, file:/disk2/c, …')}. */
final class RepairCheckpointProcedure extends SessionProcedure {

    RepairCheckpointProcedure() {
        super(
                "repair_checkpoint",
                "Rebuilds the lost files of a checkpoint, and lists those that were missing or damaged.",
                Checkpoints.directories());
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        String directories = new Arguments(parameters(), input).text(0);
        return Checkpoints.rows(Checkpoints.run(directories, ErasureCodedCheckpoint::repair));
    }
}
