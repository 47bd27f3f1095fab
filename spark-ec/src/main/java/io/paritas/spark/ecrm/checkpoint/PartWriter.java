/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataOutputStream;

/** Writes the file of one server of a checkpoint. */
public final class PartWriter {
    private PartWriter() {}

    /** The state to write, which must not change meanwhile. */
    public interface Snapshot {
        /** Returns the rows in {@code count} slots of a table: versions, then the bits of parameters and state. */
        int[][] rows(int table, long firstSlot, int count) throws IOException, InterruptedException;

        /** Returns a block. */
        Block block(int number) throws IOException, InterruptedException;
    }

    /**
     * Writes the file.
     *
     * @param number of a checkpoint that {@link CheckpointFolder#begin} returned
     */
    public static void write(CheckpointFolder folder, long number, ModelSpec model, int server, Snapshot snapshot)
            throws IOException, InterruptedException {
        CheckpointLayout layout = CheckpointLayout.of(number, model);
        try (FSDataOutputStream out = folder.files().create(folder.part(number, server), true)) {
            ByteBuffer header = ByteBuffer.allocate(CheckpointLayout.HEADER);
            header.putLong(CheckpointFolder.MAGIC)
                    .putInt(CheckpointFolder.VERSION)
                    .putLong(number)
                    .putInt(server);
            out.write(Checksums.seal(header));
            for (int table = 0; table < layout.tables().size(); table++) {
                CheckpointLayout.TableShape part = layout.tables().get(table);
                for (long slot = 0; slot < layout.slots(table); slot += part.rowsOfAChunk()) {
                    int count = layout.rows(table, slot);
                    ByteBuffer chunk = ByteBuffer.allocate(count * part.rowBytes() + CheckpointLayout.CRC);
                    for (int[] row : snapshot.rows(table, slot, count)) {
                        chunk.asIntBuffer().put(row);
                        chunk.position(chunk.position() + part.rowBytes());
                    }
                    out.write(Checksums.seal(chunk));
                }
            }
            for (int block = server; block < layout.blocks().size(); block += layout.servers()) {
                Block copy = snapshot.block(block);
                ByteBuffer bytes = ByteBuffer.allocate(layout.blockBytes(block));
                bytes.putLong(copy.updates());
                for (float value : copy.all()) {
                    bytes.putFloat(value);
                }
                out.write(Checksums.seal(bytes));
            }
            CheckpointFolder.sync(out);
        }
    }
}
