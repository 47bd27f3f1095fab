/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.stream.Stream;
import org.apache.hadoop.net.ConnectTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptTest {
    @AfterEach
    void goOn() {
        var unused = Thread.interrupted();
    }

    static Stream<Exception> interrupts() {
        return Stream.of(
                new InterruptedException(),
                new InterruptedIOException("Interrupted while waiting for IO on channel"),
                new ClosedByInterruptException(),
                new FileLockInterruptionException());
    }

    /** Whoever throws them may have cleared the flag. */
    @ParameterizedTest
    @MethodSource("interrupts")
    void causesThese(Exception failure) {
        assertThat(Interrupt.caused(failure)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    static Stream<Exception> others() {
        return Stream.of(
                new SocketTimeoutException("Read timed out"),
                new ConnectTimeoutException("20000 millis timeout"),
                new AsynchronousCloseException(),
                new FileNotFoundException("unit-000.paritas"),
                new IOException("Input/output error"),
                new IllegalStateException("a block is locked"));
    }

    @ParameterizedTest
    @MethodSource("others")
    void doesNotCauseThese(Exception failure) {
        assertThat(Interrupt.caused(failure)).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Some throw anything once their thread is interrupted. */
    @Test
    void causesWhatAnInterruptedThreadMeets() {
        Thread.currentThread().interrupt();
        assertThat(Interrupt.caused(new IOException("Filesystem closed"))).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
