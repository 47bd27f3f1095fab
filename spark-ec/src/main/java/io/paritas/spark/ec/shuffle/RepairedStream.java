/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.job.Interrupt;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.apache.spark.TaskKilledException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xerial.snappy.SnappyError;

/**
 * A block as a reducer reads it, decompressed and decrypted. If that fails because the block is damaged, or cannot be read, wherever it came from, it is
 * decoded, and the reader gets the rest of these bytes. What the reader has got already must be the same, which a checksum tells:
 * otherwise the failure stays, as it does if the block cannot be decoded. For one thread.
 */
final class RepairedStream extends InputStream {
    private static final Logger LOG = LoggerFactory.getLogger(RepairedStream.class);

    private final String block;
    private final InputStream raw;
    private final Opener opener;
    private final Supplier<CompletableFuture<ByteBuffer>> decoded;
    private final CRC32C checksum = new CRC32C();
    /** Null before the first byte is read. */
    private InputStream in;

    private long position;
    private boolean repaired;

    /** Decompresses and decrypts; may read the first bytes. */
    @FunctionalInterface
    interface Opener {
        InputStream open(InputStream raw) throws IOException;
    }

    /** What codecs do with compressed bytes. */
    @FunctionalInterface
    private interface Decompression<T> {
        T run() throws IOException;
    }

    /**
     * @param block its name
     * @param decoded decodes the block
     */
    RepairedStream(String block, InputStream raw, Opener opener, Supplier<CompletableFuture<ByteBuffer>> decoded) {
        this.block = block;
        this.raw = raw;
        this.opener = opener;
        this.decoded = decoded;
    }

    /**
     * Codecs do not look at all that they get: with wrong lengths, LZF and Snappy throw what is no {@code IOException}. Snappy takes room for
     * up to 512 MiB, which the heap may not have. Of the decoded block, that is a shortage.
     */
    private <T> T decompress(Decompression<T> what) throws IOException {
        try {
            return what.run();
        } catch (TaskKilledException e) {
            throw e;
        } catch (RuntimeException | SnappyError e) {
            throw new IOException("the block cannot be decompressed: " + e, e);
        } catch (OutOfMemoryError e) {
            if (repaired) {
                throw e;
            }
            // Not the cause: with it, Spark would end the executor.
            throw new IOException("the block cannot be decompressed: " + e);
        }
    }

    private int decompressed(byte[] bytes, int offset, int length) throws IOException {
        return decompress(() -> {
            if (in == null) {
                in = opener.open(raw);
            }
            return in.read(bytes, offset, length);
        });
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int size;
        try {
            size = decompressed(bytes, offset, length);
        } catch (IOException e) {
            repair(e);
            size = decompressed(bytes, offset, length);
        }
        if (size > 0) {
            checksum.update(bytes, offset, size);
            position += size;
        }
        return size;
    }

    private void repair(IOException trouble) throws IOException {
        if (repaired || Interrupt.caused(trouble)) {
            throw trouble;
        }
        repaired = true;
        LOG.warn("{} cannot be read from byte {} on ({}): it is decoded", block, position, trouble.getMessage());
        try {
            ByteBuffer bytes = decoded.get().get();
            InputStream whole = decompress(
                    () -> opener.open(new ByteArrayInputStream(bytes.array(), bytes.arrayOffset(), bytes.remaining())));
            if (decompress(() -> prefix(whole)) != checksum.getValue()) {
                throw new IOException("the " + position + " bytes that were read before that must be right,"
                        + " the decoded ones are others");
            }
            close();
            in = whole;
        } catch (ExecutionException e) {
            trouble.addSuppressed(e.getCause());
            throw trouble;
        } catch (IOException e) {
            trouble.addSuppressed(e);
            throw trouble;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw trouble;
        }
    }

    /** The checksum of the bytes before the position, which are read. */
    private long prefix(InputStream whole) throws IOException {
        CRC32C prefix = new CRC32C();
        byte[] some = new byte[1 << 13];
        for (long left = position; left > 0; ) {
            int size = whole.readNBytes(some, 0, (int) Math.min(some.length, left));
            if (size == 0) {
                break;
            }
            prefix.update(some, 0, size);
            left -= size;
        }
        return prefix.getValue();
    }

    @Override
    public int available() throws IOException {
        return in == null ? 0 : in.available();
    }

    @Override
    public void close() throws IOException {
        (in == null ? raw : in).close();
    }
}
