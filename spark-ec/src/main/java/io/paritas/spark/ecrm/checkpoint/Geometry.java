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
 * What a checkpoint consists of, as its manifest says, and where it is in the files of the servers: a header, the rows of each table by
 * their slots, in chunks, and the blocks. Behind each of these is its CRC32C. Parity is not in it. Immutable.
 *
 * @param number of the checkpoint
 * @param servers that wrote it
 * @param k rows of a stripe
 * @param parities of a stripe
 * @param tables by number
 * @param blocks by number: each is in the file of server (number modulo servers)
 */
record Geometry(long number, int servers, int k, int parities, List<Part> tables, List<Part> blocks) {
    static final int HEADER = 28;
    static final int CRC = 4;
    private static final int CHUNK = 256 << 10;

    /**
     * A table, or a block, which is one row.
     *
     * @param width parameters of a row
     * @param words parameters and state of a row
     * @param optimizer the name of its kind
     */
    record Part(long rows, int width, int words, String optimizer) {
        private static Part of(long rows, int width, Optimizer optimizer) {
            return new Part(
                    rows,
                    width,
                    width + optimizer.state(width),
                    optimizer.getClass().getSimpleName());
        }

        /** Of a row and its version. */
        int rowBytes() {
            return Integer.BYTES * (1 + words);
        }

        int rowsOfAChunk() {
            return Math.max(1, CHUNK / rowBytes());
        }

        private void write(DataOutputStream out) throws IOException {
            out.writeLong(rows);
            out.writeInt(width);
            out.writeInt(words);
            out.writeUTF(optimizer);
        }

        private static Part read(DataInputStream in) throws IOException {
            return new Part(in.readLong(), in.readInt(), in.readInt(), in.readUTF());
        }
    }

    Geometry {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
    }

    static Geometry of(long number, ModelSpec model) {
        return new Geometry(
                number,
                model.servers(),
                model.redundancy().k(),
                model.redundancy().parities(),
                model.tables().stream()
                        .map(table -> Part.of(table.rows(), table.width(), table.optimizer()))
                        .toList(),
                model.blocks().stream()
                        .map(block -> Part.of(1, block.size(), block.optimizer()))
                        .toList());
    }

    StripePlacement stripes() {
        return new StripePlacement(servers, k, parities);
    }

    /** Slots of a table in each file. */
    long slots(int table) {
        return stripes().dataSlots(tables.get(table).rows());
    }

    /** Where the chunk begins that has a slot. */
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

    /** Of the chunks of so many rows. */
    private long bytes(int table, long rows) {
        Part part = tables.get(table);
        return rows * part.rowBytes() + CRC * ((rows + part.rowsOfAChunk() - 1) / part.rowsOfAChunk());
    }

    /** Rows of the chunk that has a slot. */
    int rows(int table, long slot) {
        int most = tables.get(table).rowsOfAChunk();
        return (int) Math.min(most, slots(table) - slot / most * most);
    }

    int server(int block) {
        return block % servers;
    }

    /** Of a block: its updates, its floats, and the CRC. */
    int blockBytes(int block) {
        return Long.BYTES + Float.BYTES * blocks.get(block).words() + CRC;
    }

    long block(int block) {
        long at = chunk(tables.size(), 0);
        for (int before = server(block); before < block; before += servers) {
            at += blockBytes(before);
        }
        return at;
    }

    /** Bytes of the file of a server. */
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
        for (List<Part> parts : List.of(tables, blocks)) {
            out.writeInt(parts.size());
            for (Part part : parts) {
                part.write(out);
            }
        }
        return bytes.toByteArray();
    }

    static Geometry decode(DataInputStream in) throws IOException {
        return new Geometry(in.readLong(), in.readInt(), in.readInt(), in.readInt(), parts(in), parts(in));
    }

    private static List<Part> parts(DataInputStream in) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            parts.add(Part.read(in));
        }
        return parts;
    }

    /** @throws IllegalArgumentException if another model is in it */
    void check(ModelSpec model) {
        Geometry wanted = of(number, model);
        check("tables", tables, wanted.tables);
        check("blocks", blocks, wanted.blocks);
    }

    private void check(String what, List<Part> has, List<Part> wanted) {
        if (!has.equals(wanted)) {
            throw new IllegalArgumentException(
                    "A checkpoint is restored into a model of the same tables, blocks and kinds of optimizers, "
                            + "but in checkpoint " + number + " the " + what + " are " + has + ", and in the model "
                            + wanted);
        }
    }
}
