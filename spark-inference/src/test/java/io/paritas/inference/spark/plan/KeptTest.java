/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeptTest {
    private final Kept kept = new Kept(3);

    private record Key(String name) {}

    /** A slow file system must not hold up queries with other models. */
    @Test
    void readsSideBySide() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<String> slow = inThreadOfItsOwn(() -> kept.get(new Key("slow"), key -> {
            began.countDown();
            await(goOn);
            return "slow";
        }));
        began.await();
        CompletableFuture<String> other = inThreadOfItsOwn(() -> kept.get(new Key("other"), key -> "other"));
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
            int read = kept.get(new Key("once"), key -> reads.incrementAndGet());
            assertThat(read).isEqualTo(1);
        }
    }

    @Test
    void triesAgainWhatFailed() {
        Key key = new Key("failing");
        assertThatThrownBy(() -> kept.get(key, wanted -> {
                    throw new ModelException("not yet there");
                }))
                .isInstanceOf(ModelException.class)
                .hasMessage("not yet there");
        String read = kept.get(key, wanted -> "there");
        assertThat(read).isEqualTo("there");
    }

    @Test
    void whatWasNotAskedForLongestIsForgotten() {
        AtomicInteger reads = new AtomicInteger();
        for (String name : List.of("a", "b", "c", "a", "d", "a", "b")) {
            kept.get(new Key(name), key -> reads.incrementAndGet());
        }
        assertThat(reads).as("a, b, c, d, and b again").hasValue(5);
    }

    /** Remote models of many queries in turn: each is fetched once. */
    @Test
    void allMayBeKept() {
        Kept all = new Kept(Integer.MAX_VALUE);
        AtomicInteger reads = new AtomicInteger();
        for (int round = 0; round < 2; round++) {
            IntStream.range(0, 1_000).forEach(i -> all.get(new Key("model" + i), key -> reads.incrementAndGet()));
        }
        assertThat(reads).hasValue(1_000);
    }
}
