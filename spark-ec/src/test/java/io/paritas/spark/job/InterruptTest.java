/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.stream.Stream;
import org.apache.hadoop.net.ConnectTimeoutException;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptTest {
    @AfterEach
    void goOn() {
        TaskContext$.MODULE$.unset();
        var unused = Thread.interrupted();
    }

    private static TaskContextImpl inATask() {
        TaskContextImpl task = TaskContext$.MODULE$.empty();
        TaskContext$.MODULE$.setTaskContext(task);
        return task;
    }

    /** What other threads may be told, too. Whoever throws them may have cleared the flag. */
    static Stream<Exception> shared() {
        return Stream.of(
                new InterruptedIOException("Interrupted while waiting for IO on channel"),
                new ClosedByInterruptException(),
                new FileLockInterruptionException());
    }

    static Stream<Exception> others() {
        return Stream.of(
                new SocketTimeoutException("Read timed out"),
                new ConnectTimeoutException("20000 millis timeout"),
                new org.apache.hadoop.shaded.org.apache.http.conn.ConnectTimeoutException("Connect timed out"),
                new AsynchronousCloseException(),
                new FileNotFoundException("unit-000.paritas"),
                new IOException("Input/output error"),
                new IllegalStateException("a block is locked"));
    }

    /** It clears the flag of the thread that throws it. */
    @Test
    void causesWhatIsThrownOnThisThread() {
        assertThat(Interrupt.caused(new InterruptedException())).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        inATask();
        assertThat(Interrupt.caused(new InterruptedException())).as("in a task").isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Nobody may have asked for the interrupt of a user's thread. */
    @ParameterizedTest
    @MethodSource("shared")
    void causesTheseOutsideOfTasks(Exception failure) {
        assertThat(Interrupt.caused(failure)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** As where another task is killed that waits for the same connection. */
    @ParameterizedTest
    @MethodSource({"shared", "others"})
    void doesNotCauseTheseInATaskThatIsNotKilled(Exception failure) {
        inATask();
        assertThat(Interrupt.caused(failure)).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Spark may be told not to interrupt its thread. */
    @ParameterizedTest
    @MethodSource({"shared", "others"})
    void causesAnythingInATaskThatIsKilled(Exception failure) {
        inATask().markInterrupted("another attempt succeeded");
        assertThat(Interrupt.caused(failure)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
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

    @ParameterizedTest
    @MethodSource("shared")
    void isFoundAmongCauses(Exception failure) {
        assertThat(Interrupt.isAmongCauses(
                        new IllegalStateException(new UncheckedIOException(new IOException(failure)))))
                .isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("others")
    void isNotFoundAmongOthers(Exception failure) {
        assertThat(Interrupt.isAmongCauses(new IllegalStateException(failure))).isFalse();
    }
}
