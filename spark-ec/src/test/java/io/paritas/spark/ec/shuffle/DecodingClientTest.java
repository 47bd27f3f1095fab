/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static io.paritas.spark.ec.shuffle.ShuffleExecutorTest.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.shuffle.Group.Unit;
import io.paritas.spark.ec.shuffle.ShuffleExecutorTest.Driver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A block of the group that {@link Driver} knows: its parity is the block, and the other output has zeros. */
@Timeout(60)
class DecodingClientTest {
    private static final byte[] BLOCK = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    private static final String ID = "shuffle_5_0_0";
    private static final String UNDECODABLE = ID + " can be neither fetched (the executor of " + ID
            + " is lost) nor decoded (2 files of group 0 of shuffle 5 must be readable, got 1 of 3)";

    /** Spark's client, as it connects to an executor. */
    private static final class Connecting extends BlockStoreClient {
        private final CountDownLatch connected = new CountDownLatch(1);

        @Override
        public void fetchBlocks(
                String host,
                int port,
                String executorId,
                String[] ids,
                BlockFetchingListener listener,
                DownloadFileManager downloads) {
            try {
                connected.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("it cannot connect");
        }

        @Override
        public void close() {
            connected.countDown();
        }
    }

    /** Spark's client, whose answers a test gives. */
    private static final class Asked extends BlockStoreClient {
        private final CompletableFuture<BlockFetchingListener> asked = new CompletableFuture<>();
        /** Who is asked. */
        private volatile String from = "";

        @Override
        public void fetchBlocks(
                String host,
                int port,
                String executorId,
                String[] ids,
                BlockFetchingListener listener,
                DownloadFileManager downloads) {
            from = executorId;
            asked.complete(listener);
        }

        void answer() throws Exception {
            asked.get(1, TimeUnit.MINUTES).onBlockFetchSuccess(ID, new NioManagedBuffer(ByteBuffer.wrap(BLOCK)));
        }

        @Override
        public void close() {}
    }

    /** A reducer that waits for a block. */
    private static final class Reducer implements BlockFetchingListener {
        private final CompletableFuture<ByteBuffer> block = new CompletableFuture<>();
        private final AtomicInteger heard = new AtomicInteger();

        @Override
        public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {
            heard.incrementAndGet();
            try {
                block.complete(bytes.nioByteBuffer());
            } catch (Exception e) {
                block.completeExceptionally(e);
            }
        }

        @Override
        public void onBlockFetchFailure(String id, Throwable failure) {
            block.completeExceptionally(failure);
        }
    }

    private static CompletableFuture<ByteBuffer> answer(
            BlockManagerId executor, RequestId request, IntFunction<ByteBuffer> memory) {
        ByteBuffer answer =
                switch (request.kind()) {
                    case CONTENTS -> contents();
                    case DATA -> ByteBuffer.allocate(BLOCK.length);
                    default -> ByteBuffer.wrap(BLOCK);
                };
        return CompletableFuture.completedFuture(
                memory.apply(answer.remaining()).put(answer).flip());
    }

    private static ByteBuffer contents() {
        CRC32C checksum = new CRC32C();
        checksum.update(BLOCK);
        return new Contents(new long[] {0, BLOCK.length}, new int[] {(int) checksum.getValue()}).records(0);
    }

    private static ShuffleExecutor executor(String hedgeAfter) {
        SparkConf conf = new SparkConf(false).set("spark.paritas.shuffle.hedgeAfter", hedgeAfter);
        return executor(conf, DecodingClientTest::answer);
    }

    private static ShuffleExecutor executor(SparkConf conf, GroupFiles.Network network) {
        return new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf), network);
    }

    private static Reducer fetch(BlockStoreClient client, ShuffleExecutor executor) {
        Reducer reducer = new Reducer();
        new DecodingClient(client, executor, new TaskReads(() -> false))
                .fetchBlocks("host0", 7000, "0", new String[] {ID}, reducer, null);
        return reducer;
    }

    /** Its kernel does not even refuse the connection. */
    @Test
    void aHostThatIsDownIsNotWaitedFor() throws Exception {
        try (ShuffleExecutor executor = executor("10ms");
                Connecting client = new Connecting()) {
            assertThat(fetch(client, executor).block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
        }
    }

    @Test
    void aFetchThatDoesNotBeginHasFailed() throws Exception {
        try (ShuffleExecutor executor = executor("1h");
                Connecting client = new Connecting()) {
            client.close();
            assertThat(fetch(client, executor).block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
        }
    }

    @Test
    void aBlockThatIsDecodedFirstComesOnce() throws Exception {
        try (ShuffleExecutor executor = executor("10ms");
                Asked client = new Asked()) {
            Reducer reducer = fetch(client, executor);
            assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));

            client.answer();

            assertThat(reducer.heard).hasValue(1);
        }
    }

    /** Its blocks come all at once when it goes on; the next one that is frozen is late as soon as this one was. */
    @Test
    void anExecutorThatWasFrozenMakesNobodyElseWaitLonger() throws Exception {
        try (ShuffleExecutor executor = executor("10ms");
                Asked client = new Asked()) {
            for (int fetch = 0; fetch < 128; fetch++) {
                executor.fetchTimes().add("1", 1);
            }
            Reducer reducer = fetch(client, executor);
            assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
            BlockFetchingListener asked = client.asked.get(1, TimeUnit.MINUTES);

            for (int block = 0; block < 100; block++) {
                asked.onBlockFetchSuccess(ID, new NioManagedBuffer(ByteBuffer.wrap(BLOCK)));
            }

            assertThat(executor.fetchTimes().nanosUntilLate()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** While the last answer is under way with which it would be decoded: that is one of the two. */
    @ParameterizedTest
    @EnumSource(
            value = RequestId.Kind.class,
            names = {"DATA", "PARITY"})
    void aBlockThatIsFetchedFirstComesOnce(RequestId.Kind last) throws Exception {
        CompletableFuture<Void> hedging = new CompletableFuture<>();
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        SparkConf conf = new SparkConf(false).set("spark.paritas.shuffle.hedgeAfter", "10ms");
        GroupFiles.Network late = (from, request, memory) -> {
            if (request.kind() != last) {
                return answer(from, request, memory);
            }
            hedging.complete(null);
            return mayAnswer.thenCompose(now -> answer(from, request, memory));
        };
        try (ShuffleExecutor executor = executor(conf, late);
                Asked client = new Asked()) {
            Reducer reducer = fetch(client, executor);
            hedging.get(1, TimeUnit.MINUTES);

            client.answer();
            mayAnswer.complete(null);

            assertThat(fetch(new Asked(), executor).block.get(1, TimeUnit.MINUTES))
                    .as("the next one that is decoded")
                    .isEqualTo(ByteBuffer.wrap(BLOCK));
            assertThat(reducer.heard).hasValue(1);
        }
    }

    /** One executor is down. */
    private static GroupFiles.Network without(BlockManagerId lost) {
        return (from, request, memory) -> from.equals(lost)
                ? CompletableFuture.failedFuture(new IOException("executor " + lost.executorId() + " is down"))
                : answer(from, request, memory);
    }

    /** A reducer that was told that the output has lost its executor. */
    private static Reducer fetchLost(BlockStoreClient client, ShuffleExecutor executor) {
        Reducer reducer = new Reducer();
        new DecodingClient(client, executor, new TaskReads(() -> false))
                .fetchBlocks(
                        "host0",
                        7000,
                        LostLocation.of(Executors.executor(0)).executorId(),
                        new String[] {ID},
                        reducer,
                        null);
        return reducer;
    }

    private static ShuffleExecutor executor(Driver driver) {
        return new ShuffleExecutor(ShuffleSettings.of(driver.conf()), driver, without(Executors.executor(1)));
    }

    /** Another executor has made the second output again since the driver was asked. */
    @Test
    void aGroupThatHasChangedIsAskedForOnceMore() throws Exception {
        Driver driver =
                new Driver(new SparkConf(false), GROUP, GROUP.with(1, new Unit(1, Executors.executor(4), true, 10)));
        try (ShuffleExecutor executor = executor(driver);
                Asked client = new Asked()) {
            assertThat(fetchLost(client, executor).block.get(1, TimeUnit.MINUTES))
                    .isEqualTo(ByteBuffer.wrap(BLOCK));
            assertThat(driver.asked()).hasValue(2);
        }
    }

    @Test
    void aGroupThatHasNotChangedIsNotTriedAgain() {
        Driver driver = new Driver(new SparkConf(false));
        try (ShuffleExecutor executor = executor(driver);
                Asked client = new Asked()) {
            assertThat(fetchLost(client, executor).block)
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage(UNDECODABLE)
                    .havingRootCause()
                    .withMessage("the executor of " + ID + " is lost");
            assertThat(driver.asked()).hasValue(2);
            assertThat(client.asked).isNotDone();
        }
    }

    /** A driver that stands still fails each question after minutes. */
    @Test
    void aQuestionThatFailsIsNotAskedAgain() {
        Driver driver = new Driver(new SparkConf(false), List.of(Optional.empty()), new AtomicInteger());
        try (ShuffleExecutor executor = executor(driver);
                Asked client = new Asked()) {
            assertThat(fetchLost(client, executor).block)
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage(ID + " can be neither fetched (the executor of " + ID
                            + " is lost) nor decoded (map output 0 of shuffle 5 is not coded)");
            assertThat(driver.asked()).hasValue(1);
        }
    }

    /** Spark's client fails all blocks of a request with it, and Spark logs it for each of them, from several threads. */
    @Test
    void theFailureOfARequestIsNotChanged() throws Exception {
        IOException failure = new IOException("executor 0 says:\n\tat where it was");
        Map<String, CompletableFuture<Throwable>> heard = new TreeMap<>();
        String[] ids = {"shuffle_5_0_0", "shuffle_5_0_1", "shuffle_5_0_2"};
        for (String id : ids) {
            heard.put(id, new CompletableFuture<>());
        }
        BlockFetchingListener reducer = new BlockFetchingListener() {
            @Override
            public void onBlockFetchSuccess(String id, ManagedBuffer bytes) {}

            @Override
            public void onBlockFetchFailure(String id, Throwable lost) {
                heard.get(id).complete(lost);
            }
        };
        try (ShuffleExecutor executor = executor(new Driver(new SparkConf(false)));
                Asked client = new Asked()) {
            new DecodingClient(client, executor, new TaskReads(() -> false))
                    .fetchBlocks("host0", 7000, "0", ids, reducer, null);
            BlockFetchingListener asked = client.asked.get(1, TimeUnit.MINUTES);
            for (String id : ids) {
                asked.onBlockFetchFailure(id, failure);
            }
            for (String id : ids) {
                assertThat(heard.get(id).get(1, TimeUnit.MINUTES))
                        .hasMessageStartingWith(id + " can be neither fetched (executor 0 says:) nor decoded (")
                        .hasCause(failure);
            }
            assertThat(failure.getSuppressed()).isEmpty();
        }
    }

    /** It was made again, and then another file of its group was lost, so it cannot be decoded. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBlockIsFetchedFromWhereItsOutputIsMeanwhile(boolean isThere) throws Exception {
        Group now = GROUP.without(1).with(0, new Unit(0, Executors.executor(4), true, 10));
        Driver driver = new Driver(new SparkConf(false), GROUP, now);
        try (ShuffleExecutor executor = executor(driver);
                Asked client = new Asked()) {
            Reducer reducer = fetchLost(client, executor);
            BlockFetchingListener asked = client.asked.get(1, TimeUnit.MINUTES);
            assertThat(client.from).isEqualTo("4");

            if (isThere) {
                client.answer();
                assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
            } else {
                asked.onBlockFetchFailure(ID, new IOException("executor 4 is down"));
                assertThat(reducer.block)
                        .failsWithin(1, TimeUnit.MINUTES)
                        .withThrowableThat()
                        .havingCause()
                        .withMessage(UNDECODABLE + ", nor fetched from executor 4 (executor 4 is down)");
            }
            assertThat(driver.asked()).hasValue(2);
        }
    }

    private static final Group STORED_AGAIN = GROUP.with(0, new Unit(0, Executors.executor(4), true, 10));

    private static ShuffleExecutor executor(Group told) {
        SparkConf conf = new SparkConf(false).set("spark.paritas.shuffle.hedgeAfter", "1h");
        return new ShuffleExecutor(ShuffleSettings.of(conf), new Driver(conf, told), DecodingClientTest::answer);
    }

    /** Spark tells executors of a new place only when another one is lost. */
    @Test
    void aBlockIsFetchedFromWhereItsOutputWasStoredAfterTheLoss() throws Exception {
        try (ShuffleExecutor executor = executor(STORED_AGAIN);
                Asked client = new Asked()) {
            Reducer reducer = fetchLost(client, executor);
            client.answer();
            assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
            assertThat(client.from).isEqualTo("4");
        }
    }

    @Test
    void aBlockIsDecodedThatCannotBeFetchedFromWhereItsOutputWasStored() throws Exception {
        try (ShuffleExecutor executor = executor(STORED_AGAIN);
                Asked client = new Asked()) {
            Reducer reducer = fetchLost(client, executor);
            client.asked.get(1, TimeUnit.MINUTES).onBlockFetchFailure(ID, new IOException("executor 4 is down"));
            assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
        }
    }

    /** What the driver said a moment before the loss says nothing of it. */
    @Test
    void aBlockIsNotFetchedFromTheLostExecutor() throws Exception {
        Group before = GROUP.with(0, new Unit(0, Executors.executor(0), true, 10));
        try (ShuffleExecutor executor = executor(before);
                Asked client = new Asked()) {
            assertThat(fetchLost(client, executor).block.get(1, TimeUnit.MINUTES))
                    .isEqualTo(ByteBuffer.wrap(BLOCK));
            assertThat(client.asked).isNotDone();
        }
    }

    /** It is lost with more files of its group than the code survives. */
    @Test
    void aBlockOfTwoLostExecutorsIsAskedOfTheSecondOneOnce() throws Exception {
        SparkConf conf = new SparkConf(false).set("spark.paritas.shuffle.hedgeAfter", "1h");
        try (ShuffleExecutor executor = executor(new Driver(conf, STORED_AGAIN));
                Asked client = new Asked()) {
            Reducer reducer = fetchLost(client, executor);
            client.asked.get(1, TimeUnit.MINUTES).onBlockFetchFailure(ID, new IOException("executor 4 is down"));
            assertThat(reducer.block)
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage(ID + " can be neither fetched (executor 4 is down) nor decoded"
                            + " (2 files of group 0 of shuffle 5 must be readable, got 1 of 3)");
        }
    }

    /** As the errors are that the JVM has prepared for when it has no memory left. */
    @Test
    void aReducerHearsOfAnErrorThatIsThrownTwice() throws Exception {
        OutOfMemoryError prepared = new OutOfMemoryError("Java heap space");
        GroupFiles.Network full = (from, request, memory) -> {
            throw prepared;
        };
        try (ShuffleExecutor executor = executor(new SparkConf(false), full);
                Asked client = new Asked()) {
            Reducer reducer = fetch(client, executor);
            client.asked.get(1, TimeUnit.MINUTES).onBlockFetchFailure(ID, prepared);
            assertThat(reducer.block)
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .withCause(prepared);
        }
    }

    /** It would keep the reducer's task, and what that reads, until it is due. */
    @Test
    void aFetchThatIsOverHasNoHedge() throws Exception {
        try (ShuffleExecutor executor = executor("1h");
                Asked client = new Asked()) {
            Reducer reducer = fetch(client, executor);
            assertThat(executor.hedges()).isEqualTo(1);

            client.answer();

            assertThat(reducer.block).isDone();
            assertThat(executor.hedges()).isZero();
        }
    }

    @Test
    void anExecutorThatEndsHedgesNothing() throws Exception {
        try (ShuffleExecutor executor = executor("10ms");
                Asked client = new Asked()) {
            executor.close();
            Reducer reducer = fetch(client, executor);
            client.answer();
            assertThat(reducer.block.get(1, TimeUnit.MINUTES)).isEqualTo(ByteBuffer.wrap(BLOCK));
        }
    }

    /** Others may have what is read. With an OutOfMemoryError as a cause, Spark would end the executor. */
    @Test
    void whoDecodesHearsThatThereIsNoMemoryForAnAnswer() throws Exception {
        try (Asked client = new Asked()) {
            CompletableFuture<ByteBuffer> answer =
                    ShuffleExecutor.fetch(client, Executors.executor(1), RequestId.index(5, 1), size -> {
                        throw new OutOfMemoryError("Java heap space");
                    });
            client.answer();
            assertThat(answer)
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(IOException.class)
                    .withMessage("there must be memory for the 10 bytes of an answer: Java heap space");
        }
    }

    @Test
    void whoDecodesDoesNotWaitForAConnection() {
        CompletableFuture<ByteBuffer> answer;
        try (Connecting client = new Connecting()) {
            answer = ShuffleExecutor.fetch(client, Executors.executor(1), RequestId.index(5, 1), ByteBuffer::allocate);
            assertThat(answer).isNotDone();
        }
        assertThat(answer)
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .withMessageContaining("it cannot connect");
    }
}
