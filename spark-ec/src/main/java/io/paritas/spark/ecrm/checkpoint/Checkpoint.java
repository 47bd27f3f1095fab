/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Origin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/** A checkpoint that is read: it has one chunk of each file in memory at a time. Rows and blocks that cannot be read are an {@link UncheckedIOException}. Not thread-safe. */
public final class Checkpoint implements Origin, AutoCloseable {
    private record Chunk(int table, long number, ByteBuffer rows) {}

    private final CheckpointFolder folder;
    private final Geometry geometry;
    private final ModelSpec model;
    private final StripePlacement stripes;
    private final Map<Integer, FSDataInputStream> parts = new HashMap<>();
    private final Map<Integer, Chunk> chunks = new HashMap<>();

    Checkpoint(CheckpointFolder folder, Geometry geometry, ModelSpec model) {
        this.folder = folder;
        this.geometry = geometry;
        this.model = model;
        this.stripes = geometry.stripes();
    }

    @Override
    public int[] row(int table, long row) {
        Geometry.Part part = geometry.tables().get(table);
        if (row >= part.rows()) {
            return model.tables().get(table).fresh(row);
        }
        int server = stripes.owner(row);
        long slot = stripes.slot(stripes.stripe(row), stripes.unit(row));
        long number = slot / part.rowsOfAChunk();
        Chunk chunk = chunks.get(server);
        if (chunk == null || chunk.table() != table || chunk.number() != number) {
            int length = geometry.rows(table, slot) * part.rowBytes();
            chunk = new Chunk(table, number, read(server, geometry.chunk(table, slot), length + Geometry.CRC));
            chunks.put(server, chunk);
        }
        int[] words = new int[1 + part.words()];
        int at = (int) (slot % part.rowsOfAChunk()) * part.rowBytes();
        chunk.rows().slice(at, part.rowBytes()).asIntBuffer().get(words);
        return words;
    }

    @Override
    public Block block(int number) {
        ByteBuffer bytes = read(geometry.server(number), geometry.block(number), geometry.blockBytes(number));
        long updates = bytes.getLong();
        float[] all = new float[geometry.blocks().get(number).words()];
        bytes.asFloatBuffer().get(all);
        Block block = Block.empty(model.blocks().get(number));
        block.copy(all, updates);
        return block;
    }

    private ByteBuffer read(int server, long at, int length) {
        try {
            return readChecked(server, at, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ByteBuffer readChecked(int server, long at, int length) throws IOException {
        Path path = folder.part(geometry.number(), server);
        FSDataInputStream part = parts.get(server);
        if (part == null) {
            part = open(server, path);
            parts.put(server, part);
        }
        byte[] bytes = new byte[length];
        part.readFully(at, bytes);
        return Checked.open(bytes, path);
    }

    private FSDataInputStream open(int server, Path path) throws IOException {
        long length = folder.files().getFileStatus(path).getLen();
        if (length != geometry.length(server)) {
            throw new IOException(path + " is damaged: it has " + length + " bytes, and should have "
                    + geometry.length(server) + ". Restore another checkpoint");
        }
        FSDataInputStream in = folder.files().open(path);
        byte[] header = new byte[Geometry.HEADER];
        in.readFully(0, header);
        ByteBuffer bytes = Checked.open(header, path);
        CheckpointFolder.checkFormat(bytes, path);
        if (bytes.getLong() != geometry.number() || bytes.getInt() != server) {
            throw new IOException(path + " is the file of another server or checkpoint. Restore another checkpoint");
        }
        return in;
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream part : parts.values()) {
            part.close();
        }
    }
}
