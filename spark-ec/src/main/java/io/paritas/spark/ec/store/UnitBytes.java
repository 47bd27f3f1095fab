/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.util.io.ChunkedByteBuffer;

/** The bytes of a unit, in memory or mapped, in chunks of any size. {@link #close} is for one thread. */
final class UnitBytes implements AutoCloseable {
    /** Bytes of a unit that are coded at a time. */
    static final int WINDOW = 1 << 20;

    /** Never written. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(WINDOW);

    static final UnitBytes EMPTY = of(new ChunkedByteBuffer(new ByteBuffer[0]));

    private final ChunkedByteBuffer bytes;
    private final List<ByteBuffer> chunks;
    private final Runnable release;

    private UnitBytes(ChunkedByteBuffer bytes, Runnable release) {
        this.bytes = bytes;
        this.chunks = List.of(bytes.getChunks());
        this.release = release;
    }

    static UnitBytes of(ChunkedByteBuffer bytes) {
        return new UnitBytes(bytes, () -> {});
    }

    static UnitBytes of(byte[] bytes) {
        return of(new ChunkedByteBuffer(ByteBuffer.wrap(bytes)));
    }

    /** Wraps bytes that their owner keeps until they are closed. */
    static UnitBytes borrowed(ChunkedByteBuffer bytes, Runnable release) {
        return new UnitBytes(bytes, release);
    }

    boolean is(StoredUnit unit) {
        return bytes.size() == unit.length() && StoredUnit.of(chunks).equals(unit);
    }

    ChunkedByteBuffer chunked() {
        return bytes;
    }

    InputStream stream() {
        return bytes.toInputStream(false);
    }

    /** Returns at most {@link #WINDOW} bytes, zeros behind the last one. Copies them only where they span chunks. */
    ByteBuffer window(long from, int size) {
        if (from >= bytes.size()) {
            return zeros(size);
        }
        long start = 0;
        for (ByteBuffer chunk : chunks) {
            if (from < start + chunk.limit()) {
                int offset = (int) (from - start);
                return offset + size <= chunk.limit() ? chunk.slice(offset, size) : copy(from, size);
            }
            start += chunk.limit();
        }
        throw new IllegalStateException("chunks must hold all " + bytes.size() + " bytes");
    }

    private static ByteBuffer zeros(int size) {
        return ZEROS.slice(0, size);
    }

    private ByteBuffer copy(long from, int size) {
        ByteBuffer copy = ByteBuffer.allocate(size);
        long start = 0;
        for (ByteBuffer chunk : chunks) {
            int offset = (int) Math.max(0, Math.min(chunk.limit(), from + copy.position() - start));
            int length = Math.min(chunk.limit() - offset, copy.remaining());
            copy.put(chunk.slice(offset, length));
            start += chunk.limit();
        }
        return copy.clear();
    }

    /** Releases borrowed bytes. */
    @Override
    public void close() {
        release.run();
    }
}
