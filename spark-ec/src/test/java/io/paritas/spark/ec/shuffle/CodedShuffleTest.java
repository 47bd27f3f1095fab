/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.Logged;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import scala.Option;

class CodedShuffleTest {
    private static final CodeName CODE = CodeName.parse("rs-2-1");

    private final Members members = new Members(CODE, Duration.ZERO);
    private final ShuffleGroups groups = new ShuffleGroups(7, 2, CODE, 0, members::hasLeft);
    private final AtomicInteger looksAtAll = new AtomicInteger();
    private final BlockingQueue<Integer> later = new LinkedBlockingQueue<>();
    private final AtomicLong now = new AtomicLong();
    private final Orders orders = new Orders(Duration.ofMinutes(2), 0);
    private final CodedShuffle shuffle = shuffle(orders);

    private CodedShuffle shuffle(Orders by) {
        return new CodedShuffle(
                7,
                1,
                groups,
                new CodedShuffle.Driver(
                        members,
                        by,
                        new KeptExecutors(Optional.empty()),
                        soon -> {},
                        later::add,
                        looksAtAll::incrementAndGet));
    }

    private void plan() {
        plan(shuffle);
    }

    private void plan(CodedShuffle planned) {
        for (int map = 0; map < 2; map++) {
            groups.add(map, map, Executors.executor(map), 1_000);
        }
        planned.plan(new Members.Roll(Set.of("0", "1", "2"), Executors.first(3), 0));
    }

    /** Executors take these, and say nothing. */
    private Orders orders(CountDownLatch taken) {
        Orders.Upload upload = (executor, order, bytes) -> {
            taken.countDown();
            return new CompletableFuture<>();
        };
        return new Orders(upload, Duration.ofMinutes(2), 0, now::get);
    }

    private void passThreeMinutes(Orders by) {
        for (int look = 0; look < 36; look++) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(5));
            by.giveUpSilent();
        }
    }

    /** It is given again: nobody else knows that it is wanted. */
    @Test
    void anOrderThatNoThreadSendsHasFailed() {
        orders.close();
        try (Logged log = new Logged(CodedShuffle.class.getName())) {
            plan();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("INFO parity ")
                    .contains(" of shuffle 7 could not be made: java.util.concurrent.RejectedExecutionException: ");
        }
        assertThat(later).containsExactly(7);
        assertThat(groups.orderMendings(Executors.first(4), 0)).hasSize(1);
    }

    /** Names of hosts are written with their lengths, in two bytes. */
    @Test
    void anOrderThatCannotBeMadeHasFailed() throws Exception {
        String host = "host".repeat(20_000);
        for (int map = 0; map < 2; map++) {
            groups.add(map, map, BlockManagerId.apply(String.valueOf(map), host, 7000, Option.empty()), 1_000);
        }
        List<BlockManagerId> staying = List.of(
                BlockManagerId.apply("0", host, 7000, Option.empty()),
                BlockManagerId.apply("1", host, 7000, Option.empty()),
                Executors.executor(2));

        try (Logged log = new Logged(CodedShuffle.class.getName())) {
            shuffle.plan(new Members.Roll(Set.of("0", "1", "2"), staying, 0));

            assertThat(later.poll(1, TimeUnit.MINUTES)).isEqualTo(7);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(" of shuffle 7 could not be made: java.io.UncheckedIOException: ")
                    .contains("encoded string");
        }
        assertThat(groups.orderMendings(staying, 0)).as("it is given again").hasSize(1);
    }

    /** Its disk hangs, and Spark hears its heartbeats. */
    @Test
    void whoTakesAnOrderAndSaysNothingIsNotWaitedForEver() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        try (Orders silent = orders(taken);
                Logged log = new Logged(CodedShuffle.class.getName())) {
            CodedShuffle hanging = shuffle(silent);
            plan(hanging);
            assertThat(taken.await(1, TimeUnit.MINUTES)).isTrue();

            passThreeMinutes(silent);

            assertThat(log.lines())
                    .containsExactly(
                            "INFO parity 0 of shuffle 7 could not be made: java.io.IOException: it is not answered");
            assertThat(later).containsExactly(7);
            assertThat(groups.orderMendings(Executors.first(4), 0))
                    .extracting(mending -> mending.parity().at())
                    .containsExactly(Executors.executor(3));

            hanging.done(Group.parityFile(0, 0), new long[] {1_000, 1_000}, Executors.executor(2));
            assertThat(groups.decodable(0))
                    .as("it is too late: another one is asked")
                    .isFalse();
        }
    }

    /** It has the fewest files, as it makes none. */
    @Test
    void whoSaysNothingGetsNoOtherOrders() throws Exception {
        BlockingQueue<BlockManagerId> asked = new LinkedBlockingQueue<>();
        Orders.Upload upload = (executor, order, bytes) -> {
            asked.add(executor);
            return new CompletableFuture<>();
        };
        try (Orders silent = new Orders(upload, Duration.ofMinutes(2), 0, now::get)) {
            CodedShuffle hanging = shuffle(silent);
            plan(hanging);
            assertThat(asked.poll(1, TimeUnit.MINUTES)).isEqualTo(Executors.executor(2));
            passThreeMinutes(silent);

            hanging.plan(new Members.Roll(Set.of("0", "1", "2"), Executors.first(3), 0));

            assertThat(Arrays.asList(asked.poll(1, TimeUnit.MINUTES), asked.poll(1, TimeUnit.MINUTES)))
                    .as("of two groups with an output each")
                    .containsExactlyInAnyOrder(Executors.executor(0), Executors.executor(1));
            assertThat(asked).isEmpty();
        }
    }

    /** Outputs of any shuffle may have waited for it. */
    @Test
    void allShufflesAreLookedAtWhenWhoWasSilentAnswers() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        try (Orders silent = orders(taken)) {
            CodedShuffle hanging = shuffle(silent);
            plan(hanging);
            assertThat(taken.await(1, TimeUnit.MINUTES)).isTrue();
            passThreeMinutes(silent);
            assertThat(silent.answering(Executors.first(3))).doesNotContain(Executors.executor(2));
            assertThat(looksAtAll).hasValue(0);

            hanging.done(Group.parityFile(0, 0), new long[] {1_000, 1_000}, Executors.executor(2));
            assertThat(silent.answering(Executors.first(3))).contains(Executors.executor(2));
            assertThat(looksAtAll).hasValue(1);

            hanging.failed(Group.parityFile(0, 0), Executors.executor(2), "late");
            assertThat(looksAtAll).as("it is silent no more").hasValue(1);
        }
    }

    /** Its last words may come when it is known that it is gone. */
    @Test
    void parityOfAnExecutorThatHasLeftIsNotThere() {
        try (Orders silent = orders(new CountDownLatch(1))) {
            CodedShuffle left = shuffle(silent);
            plan(left);
            members.left("2");

            left.done(Group.parityFile(0, 0), new long[] {1_000, 1_000}, Executors.executor(2));

            assertThat(groups.decodable(0)).isFalse();
        }
    }

    /** It ends on another thread than it is planned on. */
    @Test
    void nobodyIsBlamedForOrdersThatWereGivenAfterTheEnd() {
        try (Orders silent = orders(new CountDownLatch(1));
                Logged log = new Logged(Orders.class.getName())) {
            CodedShuffle over = shuffle(silent);
            over.end();
            plan(over);
            passThreeMinutes(silent);
            assertThat(log.lines()).isEmpty();
        }
    }

    /** A frozen executor may let it know minutes later. */
    @Test
    void whatFailsAfterItsEndDoesNotMatter() {
        orders.close();
        shuffle.end();
        try (Logged log = new Logged(CodedShuffle.class.getName())) {
            plan();
            shuffle.rebuildFailed(0, Executors.executor(1), "late");
            assertThat(log.lines()).isEmpty();
        }
        assertThat(later).isEmpty();
    }
}
