/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout of a checkpoint, as its manifest states it. The file of a server is a header, the rows of each table by
 * slot, in chunks, and its blocks. A CRC32C follows the header, each chunk and each block. Parity is not stored.
 * Immutable.
 *
 * @param number of the checkpoint
 * @param servers how many servers wrote it
 * @param k rows of a stripe
 * @param parities parity units of a stripe
 * @param tables by number
 * @param blocks by number; each is in the file of server (number modulo servers)
 */
record CheckpointLayout(
        long number, int servers, int k, int parities, List<TableShape> tables, List<TableShape> blocks) {
    static final int HEADER = 28;
    static final int CRC = 4;
    private static final int CHUNK = 256 << 10;

    /**
     * The shape of a table, or of a block as a table of one row.
     *
     * @param rows number of rows
     * @param width parameters of a row
     * @param words parameters and optimizer state of a row
     * @param optimizer name of the optimizer
     */
    record TableShape(long rows, int width, int words, String optimizer) {
        private static TableShape of(long rows, int width, Optimizer optimizer) {
            return new TableShape(
                    rows,
                    width,
                    width + optimizer.state(width),
                    optimizer.getClass().getSimpleName());
        }

        /** Bytes of a row and its version. */
        int rowBytes() {
            return Integer.BYTES * (1 + words);
        }

        /** Rows of a chunk that is not the last one. */
        int rowsOfAChunk() {
            return Math.max(1, CHUNK / rowBytes());
        }

        private void write(DataOutputStream out) throws IOException {
            out.writeLong(rows);
            out.writeInt(width);
            out.writeInt(words);
            out.writeUTF(optimizer);
        }

        private static TableShape read(DataInputStream in) throws IOException {
            return new TableShape(in.readLong(), in.readInt(), in.readInt(), in.readUTF());
        }
    }

    CheckpointLayout {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
    }

    static CheckpointLayout of(long number, ModelSpec model) {
        return new CheckpointLayout(
                number,
                model.servers(),
                model.redundancy().k(),
                model.redundancy().parities(),
                model.tables().stream()
                        .map(table -> TableShape.of(table.rows(), table.width(), table.optimizer()))
                        .toList(),
                model.blocks().stream()
                        .map(block -> TableShape.of(1, block.size(), block.optimizer()))
                        .toList());
    }

    StripePlacement stripes() {
        return new StripePlacement(servers, k, parities);
    }

    /** Returns how many slots of a table each file has. */
    long slots(int table) {
        return stripes().dataSlots(tables.get(table).rows());
    }

    /** Returns the position of the chunk with a slot. */
    long chunk(int table, long slot) {
        long at = HEADER;
        for (int before = 0; before < table; before++) {
            at += bytes(before, slots(before));
        }
        return at
                + (table == tables.size()
                        ? 0
                        : bytes(
                                table,
                                slot
                                        / tables.get(table).rowsOfAChunk()
                                        * tables.get(table).rowsOfAChunk()));
    }

    /** Returns the bytes of the chunks of so many rows. */
    private long bytes(int table, long rows) {
        TableShape part = tables.get(table);
        return rows * part.rowBytes() + CRC * ((rows + part.rowsOfAChunk() - 1) / part.rowsOfAChunk());
    }

    /** Returns the number of rows of the chunk with a slot. */
    int rows(int table, long slot) {
        int most = tables.get(table).rowsOfAChunk();
        return (int) Math.min(most, slots(table) - slot / most * most);
    }

    /** Returns the server whose file has a block. */
    int server(int block) {
        return block % servers;
    }

    /** Returns the bytes of a block: number of updates, floats, CRC. */
    int blockBytes(int block) {
        return Long.BYTES + Float.BYTES * blocks.get(block).words() + CRC;
    }

    /** Returns the position of a block. */
    long block(int block) {
        long at = chunk(tables.size(), 0);
        for (int before = server(block); before < block; before += servers) {
            at += blockBytes(before);
        }
        return at;
    }

    /** Returns the length of the file of a server. */
    long length(int server) {
        long length = chunk(tables.size(), 0);
        for (int block = server; block < blocks.size(); block += servers) {
            length += blockBytes(block);
        }
        return length;
    }

    byte[] encode() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(number);
        out.writeInt(servers);
        out.writeInt(k);
        out.writeInt(parities);
        for (List<TableShape> parts : List.of(tables, blocks)) {
            out.writeInt(parts.size());
            for (TableShape part : parts) {
                part.write(out);
            }
        }
        return bytes.toByteArray();
    }

    static CheckpointLayout decode(DataInputStream in) throws IOException {
        return new CheckpointLayout(in.readLong(), in.readInt(), in.readInt(), in.readInt(), parts(in), parts(in));
    }

    private static List<TableShape> parts(DataInputStream in) throws IOException {
        List<TableShape> parts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            parts.add(TableShape.read(in));
        }
        return parts;
    }

    /** @throws IllegalArgumentException if the checkpoint belongs to another model */
    void check(ModelSpec model) {
        CheckpointLayout wanted = of(number, model);
        check("tables", tables, wanted.tables);
        check("blocks", blocks, wanted.blocks);
    }

    private void check(String what, List<TableShape> has, List<TableShape> wanted) {
        if (!has.equals(wanted)) {
            throw new IllegalArgumentException(
                    what + " of checkpoint " + number + " must have the shapes and optimizers of the model, " + wanted
                            + ", got " + has + ": restore it into the model that it was written from");
        }
    }
}
