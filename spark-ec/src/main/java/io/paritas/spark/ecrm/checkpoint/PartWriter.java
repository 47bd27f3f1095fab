/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.job.DurableFiles;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.apache.hadoop.fs.FSDataOutputStream;

/** Writes the file of one server of a checkpoint. */
public final class PartWriter {
    private static final int PIECE = 64 << 10;

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
                write(snapshot.block(block), layout.blocks().get(block).words(), out);
            }
            DurableFiles.sync(out);
        }
    }

    /** Writes a block without a copy of it in memory: it may be large. */
    private static void write(Block block, int words, DataOutputStream out) throws IOException {
        CRC32C crc = new CRC32C();
        DataOutputStream sealed =
                new DataOutputStream(new BufferedOutputStream(new CheckedOutputStream(out, crc), PIECE));
        sealed.writeLong(block.updates());
        for (int at = 0; at < words; at++) {
            sealed.writeInt(Float.floatToRawIntBits(block.value(at)));
        }
        sealed.flush();
        out.writeInt((int) crc.getValue());
    }
}
