/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

/**
 * A checkpoint opened for reading. Keeps one chunk of each file in memory. Throws {@link UncheckedIOException} for rows
 * and blocks that cannot be read. Not thread-safe.
 */
public final class Checkpoint implements InitialState, AutoCloseable {
    private record Chunk(int table, long number, ByteBuffer rows) {}

    private final CheckpointFolder folder;
    private final CheckpointLayout layout;
    private final ModelSpec model;
    private final StripePlacement stripes;
    private final Map<Integer, FSDataInputStream> parts = new HashMap<>();
    private final Map<Integer, Chunk> chunks = new HashMap<>();

    Checkpoint(CheckpointFolder folder, CheckpointLayout layout, ModelSpec model) {
        this.folder = folder;
        this.layout = layout;
        this.model = model;
        this.stripes = layout.stripes();
    }

    @Override
    public int[] row(int table, long row) {
        CheckpointLayout.TableShape part = layout.tables().get(table);
        if (row >= part.rows()) {
            return model.tables().get(table).fresh(row);
        }
        int server = stripes.owner(row);
        long slot = stripes.slot(stripes.stripe(row), stripes.unit(row));
        long number = slot / part.rowsOfAChunk();
        Chunk chunk = chunks.get(server);
        if (chunk == null || chunk.table() != table || chunk.number() != number) {
            int length = layout.rows(table, slot) * part.rowBytes();
            chunk = new Chunk(table, number, read(server, layout.chunk(table, slot), length + CheckpointLayout.CRC));
            chunks.put(server, chunk);
        }
        int[] words = new int[1 + part.words()];
        int at = (int) (slot % part.rowsOfAChunk()) * part.rowBytes();
        chunk.rows().slice(at, part.rowBytes()).asIntBuffer().get(words);
        return words;
    }

    @Override
    public Block block(int number) {
        ByteBuffer bytes = read(layout.server(number), layout.block(number), layout.blockBytes(number));
        long updates = bytes.getLong();
        float[] all = new float[layout.blocks().get(number).words()];
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
        Path path = folder.part(layout.number(), server);
        FSDataInputStream part = parts.get(server);
        if (part == null) {
            part = open(server, path);
            parts.put(server, part);
        }
        byte[] bytes = new byte[length];
        part.readFully(at, bytes);
        return Checksums.open(bytes, path);
    }

    private FSDataInputStream open(int server, Path path) throws IOException {
        long length = folder.files().getFileStatus(path).getLen();
        if (length != layout.length(server)) {
            throw Checksums.damaged(path, "it must have " + layout.length(server) + " bytes, got " + length);
        }
        FSDataInputStream in = folder.files().open(path);
        try {
            check(server, path, in);
        } catch (IOException e) {
            in.close();
            throw e;
        }
        return in;
    }

    private void check(int server, Path path, FSDataInputStream part) throws IOException {
        byte[] header = new byte[CheckpointLayout.HEADER];
        part.readFully(0, header);
        ByteBuffer bytes = Checksums.open(header, path);
        CheckpointFolder.checkFormat(bytes, path);
        if (bytes.getLong() != layout.number() || bytes.getInt() != server) {
            throw Checksums.damaged(path, "it belongs to another server or checkpoint");
        }
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream part : parts.values()) {
            part.close();
        }
    }
}
