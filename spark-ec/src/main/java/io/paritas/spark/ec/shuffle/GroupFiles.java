/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.RequestId.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.apache.spark.storage.BlockManagerId;

/**
 * The files of groups, on all executors. Thread-safe.
 *
 * @param network who asks an executor
 * @param timeout how long an answer may take
 */
record GroupFiles(Network network, Duration timeout) {
    /** How much of each file is coded at once. */
    static final int WINDOW = 1 << 20;

    /** Asks an executor for bytes. */
    @FunctionalInterface
    interface Network {
        /** @param memory gives an array for so many bytes, from position 0 to the limit */
        CompletableFuture<ByteBuffer> ask(BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory);
    }

    /** Asks an executor for bytes, which are the caller's own. */
    CompletableFuture<ByteBuffer> ask(BlockManagerId executor, RequestId request) {
        return network.ask(executor, request, ByteBuffer::allocate);
    }

    /**
     * Asks for bytes of a data or parity file. None are asked for where there are none.
     *
     * @param memory where whole pages go
     */
    CompletableFuture<ByteBuffer> read(
            Kind kind, int shuffle, Unit unit, long from, long to, IntFunction<ByteBuffer> memory) {
        if (from >= to) {
            return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
        }
        RequestId request = RequestId.bytes(kind, shuffle, unit.file(), from, to);
        return network.ask(unit.at(), request, memory)
                .thenApply(pages -> pages.slice((int) (from - request.start()), (int) (to - from)));
    }

    ByteBuffer await(CompletableFuture<ByteBuffer> answer) throws IOException {
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("bytes must come within " + timeout.toMillis() + " ms, they did not", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for bytes of another executor");
        }
    }

    /** The bytes, or as many more zeros as fill up a window. */
    static ByteBuffer filled(ByteBuffer bytes, int size) {
        return bytes.remaining() == size
                ? bytes
                : ByteBuffer.allocate(size).put(0, bytes, bytes.position(), bytes.remaining());
    }
}
