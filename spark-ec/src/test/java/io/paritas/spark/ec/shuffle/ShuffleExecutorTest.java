/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.Executors.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.shuffle.Group.Unit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.storage.BlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;

class ShuffleExecutorTest {
    static final Group GROUP = new Group(
            5,
            0,
            CodeName.parse("paritas-2-1"),
            List.of(
                    new Unit(0, executor(0), false, 10),
                    new Unit(1, executor(1), true, 10),
                    new Unit(Group.parityFile(0, 0), executor(2), true, 0)));

    /** A driver that says what a group is, or that there is none; the last word stays. */
    record Driver(SparkConf conf, List<Optional<Group>> words, AtomicInteger asked) implements OnExecutor {
        Driver(SparkConf conf, Group... words) {
            this(conf, Stream.of(words).map(Optional::of).toList(), new AtomicInteger());
        }

        Driver(SparkConf conf) {
            this(conf, GROUP);
        }

        @Override
        public void send(Object message) {}

        @Override
        public Object ask(Object message) {
            return words.get(Math.min(asked.getAndIncrement(), words.size() - 1))
                    .map(Group::toBytes)
                    .orElse(new byte[0]);
        }
    }

    /** Files of a reducer, none of which can be opened. */
    private static final class Unopened implements DownloadFileManager {
        private final List<DownloadFile> files = new ArrayList<>();

        @Override
        public DownloadFile createTempFile(TransportConf conf) {
            DownloadFile file = new DownloadFile() {
                @Override
                public boolean delete() {
                    return files.remove(this);
                }

                @Override
                public DownloadFileWritableChannel openForWriting() {
                    throw new IllegalStateException("no such cipher");
                }

                @Override
                public String path() {
                    return "none";
                }
            };
            files.add(file);
            return file;
        }

        @Override
        public boolean registerTempFileToClean(DownloadFile file) {
            return true;
        }
    }

    /** Spark makes it after plugins. On Spark 4.1, who is asked for files of a shuffle before serves none ever after. */
    @Test
    void saysThatItHasStartedWhenThereIsAShuffleManager() throws InterruptedException {
        LocalSpark.session();
        SparkEnv spark = SparkEnv.get();
        AtomicInteger looks = new AtomicInteger();
        SparkEnv starting =
                new SparkEnv(
                        spark.executorId(),
                        spark.rpcEnv(),
                        spark.serializer(),
                        spark.closureSerializer(),
                        spark.serializerManager(),
                        spark.mapOutputTracker(),
                        spark.broadcastManager(),
                        spark.blockManager(),
                        spark.securityManager(),
                        spark.metricsSystem(),
                        spark.outputCommitCoordinator(),
                        spark.conf()) {
                    @Override
                    public ShuffleManager shuffleManager() {
                        return looks.incrementAndGet() < 3 ? null : spark.shuffleManager();
                    }
                };
        ToldDriver driver = new ToldDriver();
        SparkEnv.set(starting);
        try (ShuffleExecutor executor = new ShuffleExecutor(ShuffleSettings.of(driver.conf()), driver)) {
            executor.tellStarted("7");
            assertThat(driver.messages().poll(1, TimeUnit.MINUTES)).isEqualTo(ShuffleMessage.STARTED.of(0, 0, "7"));
            assertThat(looks).hasValueGreaterThanOrEqualTo(3);
        } finally {
            SparkEnv.set(spark);
        }
    }

    /** Spark encrypts it, and throws more than exceptions of files. */
    @Test
    void noFileStaysOfABlockThatIsNotDecoded() {
        SparkConf conf = new SparkConf(false);
        Unopened downloads = new Unopened();
        try (ShuffleExecutor executor = new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf))) {
            assertThatThrownBy(() -> executor.decode(
                                    BlockId.apply("shuffle_5_0_0"), "0", new TaskReads(() -> false), downloads)
                            .get())
                    .hasMessageContaining("no such cipher");
            assertThat(downloads.files).isEmpty();
        }
    }

    /** Late blocks are decoded on a thread whose failure would end this JVM with Spark's status for faults. */
    @Test
    void anExecutorThatEndsDecodesNothing() {
        SparkConf conf = new SparkConf(false);
        ShuffleExecutor executor = new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf));
        executor.close();

        assertThat(executor.decode(BlockId.apply("shuffle_5_0_0"), new TaskReads(() -> false)))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("shuffle_5_0_0 is not decoded: this executor ends");
    }

    /** The second time the group is known, and the driver knows no other one. */
    @Test
    void whoNeverAnswersIsWaitedForOnce() {
        SparkConf conf = new SparkConf(false)
                .set("spark.paritas.shuffle.fetchTimeout", "10ms")
                .set("spark.network.timeout", "1s");
        List<RequestId> asked = new ArrayList<>();
        GroupFiles.Network silent = (executor, request, memory) -> {
            asked.add(request);
            return new CompletableFuture<>();
        };
        try (ShuffleExecutor executor = new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf), silent)) {
            for (int attempt = 1; attempt <= 2; attempt++) {
                assertThat(executor.decode(BlockId.apply("shuffle_5_0_0"), new TaskReads(() -> false)))
                        .failsWithin(1, TimeUnit.MINUTES)
                        .withThrowableThat()
                        .havingRootCause()
                        .withMessage("bytes must come within 1000 ms, they did not");
                assertThat(asked).hasSize(attempt);
            }
        }
    }

    /**
     * A cancelled query may have asked for tens of thousands of blocks, and the next one decodes on the same threads.
     */
    @ParameterizedTest
    @ValueSource(strings = {"killed", "completed"})
    void blocksOfATaskThatHasEndedAreNotDecoded(String how) {
        SparkConf conf = new SparkConf(false);
        AtomicBoolean silent = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        GroupFiles.Network network = (executor, request, memory) -> {
            asked.incrementAndGet();
            return silent.get() ? new CompletableFuture<>() : CompletableFuture.failedFuture(new IOException("down"));
        };
        TaskContextImpl cancelled = TaskContext$.MODULE$.empty();
        try (ShuffleExecutor executor = new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf), network)) {
            TaskReads reads = executor.reads(cancelled);
            List<CompletableFuture<ByteBuffer>> blocks = IntStream.range(0, 1_000)
                    .mapToObj(reducer -> executor.decode(BlockId.apply("shuffle_5_0_" + reducer), reads))
                    .toList();
            while (asked.get() == 0) {
                Thread.onSpinWait();
            }

            if (how.equals("killed")) {
                cancelled.markInterrupted("cancelled");
            } else {
                cancelled.markTaskCompleted(Option.empty());
            }

            silent.set(false);
            assertThat(executor.decode(BlockId.apply("shuffle_5_0_0"), new TaskReads(() -> false)))
                    .failsWithin(5, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingRootCause()
                    .withMessage("down");
            assertThat(blocks).allSatisfy(block -> assertThat(block)
                    .failsWithin(5, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(InterruptedIOException.class)
                    .withMessageEndingWith(" any more"));
        }
    }
}
