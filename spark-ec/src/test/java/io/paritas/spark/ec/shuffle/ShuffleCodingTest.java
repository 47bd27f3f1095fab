/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.Logged;
import io.paritas.spark.ec.RelayingEndpoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.BlockManagerMessages;
import org.junit.jupiter.api.Test;
import scala.concurrent.Future;
import scala.concurrent.Future$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

class ShuffleCodingTest {
    /** Answers nothing in time. */
    private static final class Late extends RpcEndpointRef {
        private static final long serialVersionUID = 1;

        private final transient CountDownLatch questions;

        Late(CountDownLatch questions) {
            super(new SparkConf(false));
            this.questions = questions;
        }

        @Override
        public RpcAddress address() {
            return RpcAddress.apply("localhost", 1);
        }

        @Override
        public String name() {
            return "late";
        }

        @Override
        public void send(Object message) {}

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
            questions.countDown();
            return Future$.MODULE$.failed(new TimeoutException("late"));
        }
    }

    /** Counts how often somebody asks which executors there are. */
    private static final class Counting extends RelayingEndpoint {
        private static final long serialVersionUID = 1;

        private final transient AtomicInteger questions = new AtomicInteger();

        Counting(RpcEndpointRef driver) {
            super(driver);
        }

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
            if (message.equals(BlockManagerMessages.GetMemoryStatus$.MODULE$)) {
                questions.incrementAndGet();
            }
            return super.ask(message, timeout, type);
        }
    }

    private static final ShuffleSettings SETTINGS =
            ShuffleSettings.of(new SparkConf(false).set("spark.paritas.shuffle.repair.interval", "10ms"));

    private static final ShuffleSettings WITHOUT_REPAIR =
            ShuffleSettings.of(new SparkConf(false).set("spark.paritas.shuffle.repair.interval", "0"));

    /** Spark throws a checked exception that it does not declare. */
    @Test
    void repairGoesOnWhenTheListOfExecutorsIsLate() throws InterruptedException {
        LocalSpark.session();
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        RpcEndpointRef driver = master.driverEndpoint();
        CountDownLatch questions = new CountDownLatch(3);
        try (ShuffleCoding coding = new ShuffleCoding(SETTINGS, Optional.empty(), executors -> Set.of())) {
            master.driverEndpoint_$eq(new Late(questions));
            coding.register(0, 1, 1);
            assertThat(questions.await(10, TimeUnit.SECONDS))
                    .as("it asks again and again")
                    .isTrue();
        } finally {
            master.driverEndpoint_$eq(driver);
        }
    }

    /** What rests does so for some rounds, and Spark's listeners may miss that an executor has left. */
    @Test
    void roundsGoOnWithoutRepair() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(2);
        try (ShuffleCoding coding = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> {
            looks.countDown();
            return Set.of();
        })) {
            assertThat(looks.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(coding.count(ShuffleGroups.Progress::outputs)).isZero();
        }
    }

    /** Nobody else would look at the shuffle soon. A trouble that lasts is told once. */
    @Test
    void aShuffleIsLookedAtLaterWhenTheListOfExecutorsIsLate() throws InterruptedException {
        LocalSpark.session();
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        RpcEndpointRef driver = master.driverEndpoint();
        try (Logged log = new Logged(ShuffleCoding.class.getName());
                ShuffleCoding coding = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> Set.of())) {
            ShuffleStatus status = coding.register(1_000_000, 1, 1);
            master.driverEndpoint_$eq(new Late(new CountDownLatch(0)));
            status.addMapOutput(0, MapStatus$.MODULE$.apply(Executors.executor(1), new long[] {1_000}, 0, 0));

            for (int wait = 0; wait < 6_000 && log.lines().size() < 3; wait++) {
                Thread.sleep(10);
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("shuffle 1000000"))
                    .startsWith(
                            "WARN shuffle 1000000 is looked at again later",
                            "DEBUG shuffle 1000000 is looked at again later",
                            "DEBUG shuffle 1000000 is looked at again later");
        } finally {
            master.driverEndpoint_$eq(driver);
        }
    }

    /** The thread that looks for them is interrupted, and nobody looks again. */
    @Test
    void nothingIsToldOfLostOutputsWhenTheApplicationEnds() throws Exception {
        CompletableFuture<Thread> looking = new CompletableFuture<>();
        try (Logged log = new Logged(ShuffleCoding.class.getName())) {
            ShuffleCoding coding = new ShuffleCoding(SETTINGS, Optional.empty(), executors -> {
                looking.complete(Thread.currentThread());
                LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(1));
                throw new IllegalStateException("the thread was interrupted");
            });
            Thread thread = looking.get(1, TimeUnit.MINUTES);
            coding.close();
            thread.join();
            assertThat(log.lines())
                    .as("beside what shuffles of other tests leave behind")
                    .noneMatch(line -> line.startsWith("WARN"));
        }
    }

    /** As where the next application of a notebook has begun. */
    @Test
    void theEndOfAnApplicationIsNotThatOfTheNextOne() {
        ShuffleCoding former = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> Set.of());
        ShuffleCoding next = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> Set.of());
        ShuffleCoding.start(former);
        ShuffleCoding.start(next);

        former.close();
        assertThat(ShuffleCoding.current()).containsSame(next);

        next.close();
        assertThat(ShuffleCoding.current()).isEmpty();
    }

    /** Spark's listeners may miss that an executor has left. */
    @Test
    void outputsOfExecutorsThatHaveLeftWithoutAWordAreLost() throws InterruptedException {
        LocalSpark.session();
        var tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        try (ShuffleCoding coding = new ShuffleCoding(SETTINGS, Optional.empty(), executors -> {
            Set<String> gone = new HashSet<>(executors);
            gone.remove("2");
            return gone;
        })) {
            ShuffleStatus status = coding.register(1_000_000, 2, 1);
            tracker.shuffleStatuses().put(1_000_000, status);
            for (int map = 0; map < 2; map++) {
                status.addMapOutput(
                        map, MapStatus$.MODULE$.apply(Executors.executor(1 + map), new long[] {1_000}, map, 0));
            }

            for (int wait = 0; wait < 1_000 && status.numAvailableMapOutputs() > 1; wait++) {
                Thread.sleep(10);
            }

            assertThat(status.mapStatuses()[0]).isNull();
            assertThat(status.mapStatuses()[1].location()).isEqualTo(Executors.executor(2));
        } finally {
            tracker.unregisterShuffle(1_000_000);
        }
    }

    /** Threads of many executors ask at once, and a plan looks at all outputs. */
    @Test
    void noPlanIsMadeForEachQuestionOfAnExecutorThatLeaves() {
        LocalSpark.session();
        BlockManagerMaster master = SparkEnv.get().blockManager().master();
        RpcEndpointRef driver = master.driverEndpoint();
        Counting counting = new Counting(driver);
        try (ShuffleCoding coding = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> Set.of())) {
            ShuffleStatus status = coding.register(1_000_000, 2, 1);
            master.driverEndpoint_$eq(counting);
            BlockManagerId leaving = Executors.executor(1);
            status.addMapOutput(0, MapStatus$.MODULE$.apply(leaving, new long[] {1_000}, 0, 0));

            for (int question = 0; question < 100; question++) {
                assertThat(coding.parting(1_000_000, leaving, 0)).isEqualTo(Departures.Parting.COPY);
                assertThat(coding.parting(1_000_000, leaving)).isEqualTo(Departures.Parting.NOTHING);
            }

            assertThat(counting.questions).hasValueBetween(1, 10);
        } finally {
            master.driverEndpoint_$eq(driver);
        }
    }

    /** Nobody else would: Spark's cleaner does not know it. */
    @Test
    void anOldListOfMapOutputsIsDestroyed() throws InterruptedException {
        LocalSpark.session();
        Broadcast<String> list = SparkEnv.get()
                .broadcastManager()
                .newBroadcast("outputs", false, false, ClassTag$.MODULE$.apply(String.class));
        try (ShuffleCoding coding = new ShuffleCoding(WITHOUT_REPAIR, Optional.empty(), executors -> Set.of())) {
            coding.destroyLater(list, Duration.ZERO);
            for (int wait = 0; wait < 6_000 && list.isValid(); wait++) {
                Thread.sleep(10);
            }
        }
        assertThat(list.isValid()).isFalse();
    }

    /** Spark registers a shuffle again whose files it has removed, and tells its manager nothing. */
    @Test
    void sparkCopiesOutputsOfShufflesThatAreNotCoded() {
        LocalSpark.session();
        var tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
        try (ShuffleCoding coding = new ShuffleCoding(SETTINGS, Optional.empty(), executors -> Set.of())) {
            tracker.registerShuffle(1_000_000, 1, 1);
            assertThat(coding.parting(1_000_000, Executors.executor(1), 0)).isEqualTo(Departures.Parting.COPY);

            tracker.unregisterShuffle(1_000_000);
            assertThat(coding.parting(1_000_000, Executors.executor(1), 0)).isEqualTo(Departures.Parting.NOTHING);
        }
    }
}
