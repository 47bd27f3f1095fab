/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataOutputStream;

/** Writes what one server has into its file of a checkpoint. */
public final class PartWriter {
    private PartWriter() {}

    /** What is written; it must not change meanwhile. */
    public interface Snapshot {
        /** Rows of a table as they are in so many slots of this server: versions, and bits of parameters and state. */
        int[][] rows(int table, long firstSlot, int count) throws IOException, InterruptedException;

        Block block(int number) throws IOException, InterruptedException;
    }

    /** @param number of a checkpoint that was {@link CheckpointFolder#begin begun} */
    public static void write(CheckpointFolder folder, long number, ModelSpec model, int server, Snapshot snapshot)
            throws IOException, InterruptedException {
        Geometry geometry = Geometry.of(number, model);
        try (FSDataOutputStream out = folder.files().create(folder.part(number, server), true)) {
            ByteBuffer header = ByteBuffer.allocate(Geometry.HEADER);
            header.putLong(CheckpointFolder.MAGIC)
                    .putInt(CheckpointFolder.VERSION)
                    .putLong(number)
                    .putInt(server);
            out.write(Checked.seal(header));
            for (int table = 0; table < geometry.tables().size(); table++) {
                Geometry.Part part = geometry.tables().get(table);
                for (long slot = 0; slot < geometry.slots(table); slot += part.rowsOfAChunk()) {
                    int count = geometry.rows(table, slot);
                    ByteBuffer chunk = ByteBuffer.allocate(count * part.rowBytes() + Geometry.CRC);
                    for (int[] row : snapshot.rows(table, slot, count)) {
                        chunk.asIntBuffer().put(row);
                        chunk.position(chunk.position() + part.rowBytes());
                    }
                    out.write(Checked.seal(chunk));
                }
            }
            for (int block = server; block < geometry.blocks().size(); block += geometry.servers()) {
                Block copy = snapshot.block(block);
                ByteBuffer bytes = ByteBuffer.allocate(geometry.blockBytes(block));
                bytes.putLong(copy.updates());
                for (float value : copy.all()) {
                    bytes.putFloat(value);
                }
                out.write(Checked.seal(bytes));
            }
        }
    }
}
