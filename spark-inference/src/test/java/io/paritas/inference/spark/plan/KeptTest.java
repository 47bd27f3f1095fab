/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class KeptTest {
    private final Kept kept = Kept.last(3);

    private record Key(String name) {}

    /** A slow file system must not hold up queries with other models. */
    @Test
    void readsSideBySide() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> slow = inThreadOfItsOwn(() -> kept.get(new Key("slow"), "", key -> {
            began.countDown();
            await(goOn);
            return "slow";
        }));
        began.await();
        CompletableFuture<String> other = inThreadOfItsOwn(() -> kept.get(new Key("other"), "", key -> "other"));
        assertThat(other.get(20, TimeUnit.SECONDS)).isEqualTo("other");
        goOn.countDown();
        assertThat(slow.get()).isEqualTo("slow");
    }

    /** The pool of all has one thread where there are two processors. */
    private static <T> CompletableFuture<T> inThreadOfItsOwn(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> new Thread(task).start());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readsTheSameOnce() {
        AtomicInteger reads = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            int read = kept.get(new Key("once"), "", key -> reads.incrementAndGet());
            assertThat(read).isEqualTo(1);
        }
    }

    @Test
    void triesAgainWhatFailed() {
        Key key = new Key("failing");
        assertThatThrownBy(() -> kept.get(key, "", wanted -> {
                    throw new ModelException("not yet there");
                }))
                .isInstanceOf(ModelException.class)
                .hasMessage("not yet there");
        String read = kept.get(key, "", wanted -> "there");
        assertThat(read).isEqualTo("there");
    }

    @Test
    void anErrorIsThrownAsItIs() {
        OutOfMemoryError error = new OutOfMemoryError("thrown on purpose by this test");
        assertThatThrownBy(() -> kept.get(new Key("large"), "", wanted -> {
                    throw error;
                }))
                .isSameAs(error);
    }

    /** The program of a JVM whose heap is smaller than all that it reads. */
    static final class ManyLargeModels {
        public static void main(String[] arguments) {
            Kept kept = Kept.last(64);
            for (int model = 0; model < 64; model++) {
                byte[] read = kept.getWhileThereIsRoom(new Key("model" + model), "", key -> new byte[4 << 20]);
                if (read != kept.getWhileThereIsRoom(new Key("model" + model), "", key -> new byte[4 << 20])) {
                    System.out.println("read twice, though somebody has it: " + model);
                }
            }
            System.out.println("all were read");
        }
    }

    /** A driver with the usual heap of 1 GB, and models of 25 MB. */
    @Test
    void whatIsLargeIsForgottenBeforeTheHeapRunsShort() throws Exception {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ManyLargeModels.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.strip()).endsWith("all were read");
    }

    /** A user's cancelled query is no failure of another user's. */
    @ParameterizedTest
    @MethodSource("interruptions")
    void whoWaitsReadsItselfIfTheQueryOfTheReaderIsCancelled(Exception interruption) throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> cancelled = inThreadOfItsOwn(() -> kept.get(new Key("shared"), "", key -> {
            began.countDown();
            await(goOn);
            throw new ModelException("the model cannot be fetched", interruption);
        }));
        began.await();
        CompletableFuture<String> other = new CompletableFuture<>();
        Thread waits = new Thread(() -> other.complete(kept.get(new Key("shared"), "", key -> "there")));
        waits.start();
        while (waits.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        assertThat(other.get(20, TimeUnit.SECONDS)).isEqualTo("there");
        assertThat(cancelled)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .havingRootCause()
                .isSameAs(interruption);
    }

    static Stream<Exception> interruptions() {
        return Stream.of(
                new InterruptedException(),
                new InterruptedIOException(),
                new ClosedByInterruptException(),
                new FileLockInterruptionException());
    }

    /** A model that is trained again into the same file, each hour: the driver has no room for all of them. */
    @Test
    void anotherVersionTakesThePlaceOfTheFormerOne() {
        AtomicInteger reads = new AtomicInteger();
        Key key = new Key("retrained");
        for (int version : List.of(1, 1, 2, 2, 1)) {
            int read = kept.get(key, version, wanted -> version + 10 * reads.incrementAndGet());
            assertThat(read % 10).isEqualTo(version);
        }
        assertThat(reads).as("1, 2, and 1 again").hasValue(3);
    }

    @Test
    void whatBelongsToAKeyGoesWithIt() throws InterruptedException {
        Kept broadcasts = Kept.whileKeysAreThere();
        Object file = new Object();
        Object sent = broadcasts.get(file, "", key -> new Object());
        WeakReference<Object> former = new WeakReference<>(broadcasts.get(new Object(), "", key -> new Object()));
        while (former.get() != null) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
            assertThat(broadcasts.<Object, Object>get(file, "", key -> new Object()))
                    .isSameAs(sent);
        }
    }

    @Test
    void whatHoldsNoMoreIsReadAgain() {
        AtomicInteger reads = new AtomicInteger();
        for (int wanted : List.of(1, 1, 2, 2)) {
            int read = kept.get(new Key("copy"), copy -> copy == wanted, key -> reads.incrementAndGet());
            assertThat(read).isEqualTo(wanted);
        }
        int never = kept.get(new Key("copy"), copy -> false, key -> reads.incrementAndGet());
        assertThat(never).isEqualTo(3);
    }

    @Test
    void whatWasNotAskedForLongestIsForgotten() {
        AtomicInteger reads = new AtomicInteger();
        for (String name : List.of("a", "b", "c", "a", "d", "a", "b")) {
            kept.get(new Key(name), "", key -> reads.incrementAndGet());
        }
        assertThat(reads).as("a, b, c, d, and b again").hasValue(5);
    }

    /** Remote models of many queries in turn: each is fetched once. */
    @Test
    void allMayBeKept() {
        Kept all = Kept.last(Integer.MAX_VALUE);
        AtomicInteger reads = new AtomicInteger();
        for (int round = 0; round < 2; round++) {
            IntStream.range(0, 1_000).forEach(i -> all.get(new Key("model" + i), "", key -> reads.incrementAndGet()));
        }
        assertThat(reads).hasValue(1_000);
    }
}
