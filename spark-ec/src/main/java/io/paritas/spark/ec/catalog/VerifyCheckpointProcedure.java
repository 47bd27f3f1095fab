/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.spark.ec.ErasureCodedCheckpoint;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Scan;

/** {@code CALL paritas.verify_checkpoint(directories => 'file:/disk1/c, file:/disk2/c, …')}. */
final class VerifyCheckpointProcedure extends SessionProcedure {

    VerifyCheckpointProcedure() {
        super(
                "verify_checkpoint",
                "Reads every byte of a checkpoint, and lists the files that are missing or damaged.",
                Checkpoints.directories());
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        String directories = new Arguments(parameters(), input).text(0);
        return Checkpoints.rows(Checkpoints.run(directories, ErasureCodedCheckpoint::verify));
    }
}
