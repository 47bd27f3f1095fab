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
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.apache.spark.storage.BlockManagerId;

/**
 * The files of groups, on all executors. Thread-safe.
 *
 * @param network who asks an executor
 * @param timeout after which an answer is late
 * @param longest how long who decodes waits for an answer where too few others are left
 * @param ended whether nobody wants the bytes any more
 */
record GroupFiles(Network network, Duration timeout, Duration longest, BooleanSupplier ended) {
    /** How often who waits looks whether anybody wants the bytes. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How much of each file is coded at once. */
    static final int WINDOW = 1 << 20;

    /** Asks an executor for bytes. */
    @FunctionalInterface
    interface Network {
        /** @param memory gives an array for so many bytes, from position 0 to the limit */
        CompletableFuture<ByteBuffer> ask(BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory);
    }

    /** An answer is late: that says nothing about the file. */
    static final class LateException extends IOException {
        private static final long serialVersionUID = 1;

        LateException(Duration limit) {
            super("bytes must come within " + limit.toMillis() + " ms, they did not");
        }
    }

    GroupFiles(Network network, Duration timeout, Duration longest) {
        this(network, timeout, longest, () -> false);
    }

    /** The same files for a task: once it has ended, nothing is waited for. */
    GroupFiles until(BooleanSupplier end) {
        return new GroupFiles(network, timeout, longest, end);
    }

    /** The same files for who asks again later, and does not wait longer than until an answer is late. */
    GroupFiles impatient() {
        return new GroupFiles(network, timeout, timeout, ended);
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

    /** Waits until an answer is late. */
    ByteBuffer await(CompletableFuture<ByteBuffer> answer) throws IOException {
        return await(answer, timeout.toNanos());
    }

    /**
     * Waits for bytes.
     *
     * @throws LateException if they do not come in time
     * @throws InterruptedIOException if this thread is interrupted, or if nobody wants the bytes any more
     * @throws IOException if they cannot be read
     */
    <T> T await(CompletableFuture<T> answer, long nanos) throws IOException {
        long end = System.nanoTime() + nanos;
        while (true) {
            if (ended.getAsBoolean()) {
                throw new InterruptedIOException("nobody wants the bytes any more");
            }
            long left = Math.max(0, end - System.nanoTime());
            try {
                return answer.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            } catch (TimeoutException e) {
                if (left <= LOOK_NANOS) {
                    throw new LateException(timeout);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for bytes of another executor");
            }
        }
    }

    /** The bytes, or as many more zeros as fill up a window. */
    static ByteBuffer filled(ByteBuffer bytes, int size) {
        return bytes.remaining() == size
                ? bytes
                : ByteBuffer.allocate(size).put(0, bytes, bytes.position(), bytes.remaining());
    }
}
