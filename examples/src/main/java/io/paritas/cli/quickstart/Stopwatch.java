/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/** Measures and digests a {@link Transfer} while it happens. */
final class Stopwatch {
    /** A call of a stream. */
    interface Call<T> {
        T run() throws IOException;
    }

    private final MessageDigest digest = sha256();
    private long bytes;
    private long nanos;

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** Runs the call and adds its time. */
    <T> T time(Call<T> call) throws IOException {
        long start = System.nanoTime();
        try {
            return call.run();
        } finally {
            nanos += System.nanoTime() - start;
        }
    }

    /** Adds bytes that were transferred. */
    void transferred(byte[] buffer, int length) {
        digest.update(buffer, 0, length);
        bytes += length;
    }

    Transfer transfer(Duration decoding) {
        return new Transfer(
                bytes, Duration.ofNanos(nanos), decoding, HexFormat.of().formatHex(digest.digest()));
    }
}
