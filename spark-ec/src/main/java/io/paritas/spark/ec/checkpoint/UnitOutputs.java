/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.erasure.file.UnitHeader;
import io.paritas.spark.job.DurableFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

/** Writes unit files of one group. Closing deletes them unless they are complete. */
final class UnitOutputs implements Closeable {
    private final Storage storage;
    private final UnitGroup group;
    private final Map<Integer, Path> files = new TreeMap<>();
    private final Map<Integer, FSDataOutputStream> streams = new TreeMap<>();
    private boolean complete;

    UnitOutputs(Storage storage, UnitGroup group) {
        this.storage = storage;
        this.group = group;
    }

    /** Starts a unit file with its header. */
    void add(int unit, Path file) throws IOException {
        FSDataOutputStream stream = storage.at(file).create(file, false);
        files.put(unit, file);
        streams.put(unit, stream);
        append(stream, new UnitHeader(group, unit).bytes());
    }

    /** Appends a stripe's chunks. */
    void append(StripeBuffer stripe) throws IOException {
        for (var stream : streams.entrySet()) {
            append(stream.getValue(), stripe.sealed(stream.getKey()));
        }
    }

    private static void append(FSDataOutputStream stream, ByteBuffer bytes) throws IOException {
        stream.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    /** Forces all files to disk, closes and keeps them. */
    void complete() throws IOException {
        for (FSDataOutputStream stream : streams.values()) {
            DurableFiles.sync(stream);
            stream.close();
        }
        complete = true;
    }

    @Override
    public void close() throws IOException {
        if (!complete) {
            discard(files.keySet().iterator());
        }
    }

    /** Goes on after one that cannot be discarded. */
    private void discard(Iterator<Integer> units) throws IOException {
        if (!units.hasNext()) {
            return;
        }
        int unit = units.next();
        try {
            discard(streams.get(unit), files.get(unit));
        } finally {
            discard(units);
        }
    }

    private void discard(FSDataOutputStream stream, Path file) throws IOException {
        try (stream) {
            // Closes the stream.
        } finally {
            storage.delete(file);
        }
    }
}
