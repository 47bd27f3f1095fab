/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paritas.spark.ec.PluginSession;
import io.paritas.spark.ec.Undeclared;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockInfoManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

class UnitStoreTest {
    @RegisterExtension
    static final PluginSession SESSION = new PluginSession();

    private static final RDDBlockId BLOCK = new RDDBlockId(1_000_000, 3);
    private static final byte[] BYTES = {3, 1, 4, 1, 5};
    private static final StoredUnit UNIT = StoredUnit.of(List.of(ByteBuffer.wrap(BYTES)));

    private UnitStore store;
    /** Has a port, and does not listen. */
    private final Socket deaf = new Socket();

    private BlockManagerId gone;

    @BeforeEach
    void storeIt() throws IOException {
        store = new UnitStore();
        store.put(BLOCK, new ChunkedByteBuffer(ByteBuffer.wrap(BYTES)));
        deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        gone = BlockManagerId.apply("gone", "127.0.0.1", deaf.getLocalPort(), Option.empty());
    }

    @AfterEach
    void removeIt() throws IOException {
        store.remove(BLOCK);
        deaf.close();
    }

    @Test
    void fetchesFromTheNextExecutorWhenTheFirstOneIsGone() throws Exception {
        UnitBytes fetched =
                store.fetch(BLOCK, UNIT, List.of(gone, gone, store.here())).get();
        assertThat(fetched.is(UNIT)).isTrue();
    }

    /** Whoever gets it sees that it does not fit, and has it dropped. */
    @Test
    void fetchesWhatDoesNotFitFromTheLastOneOnly() throws Exception {
        StoredUnit other = new StoredUnit(BYTES.length, UNIT.checksum() + 1);
        UnitBytes fetched = store.fetch(BLOCK, other, List.of(store.here())).get();
        assertThat(fetched.is(UNIT)).isTrue();
        assertThatThrownBy(() ->
                        store.fetch(BLOCK, other, List.of(store.here(), gone)).get())
                .as("the first one's bytes are not taken")
                .isInstanceOf(ExecutionException.class);
    }

    /** The bytes that do not fit would have all copies dropped, the right one among them. */
    @Test
    void whatDoesNotFitIsNotTakenWhereAnotherCopyCannotBeReached() {
        StoredUnit other = new StoredUnit(BYTES.length, UNIT.checksum() + 1);
        assertThatThrownBy(() ->
                        store.fetch(BLOCK, other, List.of(gone, store.here())).get())
                .hasMessageContaining("no executor of ")
                .hasMessageContaining(" has it right: ");
    }

    @Test
    void whatIsFetchedIsWrittenToNoFile() throws Exception {
        UnitBytes fetched =
                store.fetch(BLOCK, UNIT, List.of(gone, store.here())).get();
        assertThat(fetched.is(UNIT)).isTrue();
        assertThat(CollectionConverters.asJava(
                        SparkEnv.get().blockManager().diskBlockManager().getAllFiles()))
                .extracting(File::getName)
                .noneMatch(name -> name.startsWith("temp_local"));
    }

    @Test
    void longUnitsAreFetchedThroughFiles() throws Exception {
        SparkConf conf = SparkEnv.get().blockManager().conf();
        conf.set("spark.network.maxRemoteBlockSizeFetchToMem", "4");
        try {
            UnitBytes fetched =
                    new UnitStore().fetch(BLOCK, UNIT, List.of(store.here())).get();
            assertThat(fetched.is(UNIT)).isTrue();
        } finally {
            conf.remove("spark.network.maxRemoteBlockSizeFetchToMem");
        }
    }

    /** Spark would end the executor. */
    @Test
    void aFetchThatGetsNoThreadHasFailed() {
        UnitStore without = new UnitStore(fetch -> {
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        assertThatThrownBy(
                        () -> without.fetch(BLOCK, UNIT, List.of(store.here())).get())
                .isInstanceOf(ExecutionException.class)
                .hasMessageStartingWith("java.lang.OutOfMemoryError: unable to create native thread");
    }

    @Test
    void bytesInMemoryAreReadWhereTheyAre() {
        try (UnitBytes local = store.local(BLOCK).orElseThrow()) {
            assertThat(local.chunked().getChunks())
                    .singleElement()
                    .extracting(ByteBuffer::array)
                    .isSameAs(BYTES);
        }
    }

    /** Spark does not remove a block while a task reads it, which may take as long as the task. */
    @Test
    void aUnitThatIsReadIsNotMovedNow() throws Exception {
        UnitMove move = new UnitMove(BLOCK, store.here(), List.of(store.here()));
        try (UnitBytes reading = store.local(BLOCK).orElseThrow()) {
            assertThat(store.isRead(BLOCK)).isTrue();
            assertThat(CompletableFuture.supplyAsync(() -> move.run(null)).get(10, TimeUnit.SECONDS))
                    .isZero();
            assertThat(reading.is(UNIT)).isTrue();
        }
        assertThat(store.isRead(BLOCK)).isFalse();
        assertThat(move.run(null)).isEqualTo(BYTES.length);
    }

    /** It waits while Spark moves the unit from memory to the disk. */
    @Test
    void aKilledTaskDropsNoUnit() throws Exception {
        BlockInfoManager locks = SparkEnv.get().blockManager().blockInfoManager();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread task = new Thread(() -> failure.complete(catchThrowable(() -> store.local(BLOCK))));
        locks.lockForWriting(BLOCK, true);
        try {
            task.start();
            while (task.isAlive() && task.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            task.interrupt();
            assertThat(failure.get(1, TimeUnit.MINUTES))
                    .as("it waits no longer")
                    .isInstanceOf(InterruptedException.class);
        } finally {
            locks.unlock(BLOCK, Option.empty());
        }
        assertThat(store.has(BLOCK)).isTrue();
    }

    @Test
    void aKilledTaskMovesNoUnit() {
        UnitMove move = new UnitMove(BLOCK, store.here(), List.of(gone));
        Thread.currentThread().interrupt();
        Throwable failure = catchThrowable(() -> move.run(null));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(BLOCK + " cannot be stored on " + gone + ": the thread was interrupted");
        assertThat(store.has(BLOCK)).isTrue();
    }

    /** The executor is not one that takes no units. */
    @Test
    void aKilledTaskMakesNoUnits() throws Exception {
        Access access = new Access("rs-1-1", BLOCK.rddId(), BLOCK.rddId() + 1, 0, 5_000, null);
        Stripe stripe = new Stripe(List.of(BLOCK.splitIndex()), 1, List.of(UNIT, UNIT), 0);
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            silent.setSoTimeout(60_000); // where the task fails before it connects
            BlockManagerId target = BlockManagerId.apply("silent", "127.0.0.1", silent.getLocalPort(), Option.empty());
            StripeWork work = new StripeWork(0, stripe, List.of(1), List.of(List.of(target)));
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread task = new Thread(() -> failure.complete(catchThrowable(() -> work.run(access))));
            task.start();
            try (Socket connection = silent.accept()) {
                task.interrupt();
                assertThat(failure.get(1, TimeUnit.MINUTES))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(access.block(stripe, 1) + " cannot be stored on " + target
                                + ": the thread was interrupted");
            }
        }
    }

    /** As where a unit is stored or moved at the same time. */
    @Test
    void anExecutorThatFailsToRemoveUnitsIsAskedAgain() {
        RDDBlockId failing = new RDDBlockId(BLOCK.rddId(), 4);
        store.put(failing, new ChunkedByteBuffer(ByteBuffer.wrap(BYTES)) {
            @Override
            public void dispose() {
                throw new IllegalStateException("it is moved");
            }
        });

        store.removeAll(BLOCK.rddId());

        assertThat(store.count(BLOCK.rddId())).isZero();
    }

    @Test
    void whatCannotBeRemovedIsSaid() {
        int[] asked = {0};
        assertThatThrownBy(() -> UnitStore.askToRemove("some rows", () -> {
                    asked[0]++;
                    throw new IllegalStateException("it is moved");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("it is moved");
        assertThat(asked[0]).isEqualTo(5);
    }

    @Test
    void anExecutorThatDoesNotAnswerIsNotAskedAgain() {
        int[] asked = {0};
        assertThatThrownBy(() -> UnitStore.askToRemove("some rows", () -> {
                    asked[0]++;
                    throw new IllegalStateException(new TimeoutException("30 seconds"));
                }))
                .matches(UnitStore::isTimeout);
        assertThat(asked[0]).isEqualTo(1);
    }

    @Test
    void whoIsInterruptedAsksNobodyAgain() {
        int[] asked = {0};
        assertThatThrownBy(() -> UnitStore.askToRemove("some rows", () -> {
                    asked[0]++;
                    Undeclared.raise(new InterruptedException("cancelled"));
                }))
                .isInstanceOf(InterruptedException.class)
                .hasMessage("cancelled");
        assertThat(asked[0]).isEqualTo(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aUnitOnTheDiskIsCountedOnce() {
        storeOnDisk();
        assertThat(store.count(BLOCK.rddId())).isEqualTo(1);
    }

    private void storeOnDisk() {
        store.remove(BLOCK);
        SparkEnv.get()
                .blockManager()
                .putBytes(
                        BLOCK,
                        new ChunkedByteBuffer(ByteBuffer.wrap(BYTES)),
                        StorageLevel.DISK_ONLY(),
                        true,
                        ClassTag$.MODULE$.apply(byte[].class));
        try (UnitBytes local = store.local(BLOCK).orElseThrow()) {
            assertThat(local.is(UNIT)).isTrue();
        }
    }

    private static Path file() {
        return SparkEnv.get()
                .blockManager()
                .diskBlockManager()
                .getFile(BLOCK.name())
                .toPath();
    }

    @Test
    void aUnitWhoseFileIsGoneIsLost() throws IOException {
        storeOnDisk();
        Files.delete(file());

        assertThat(store.local(BLOCK)).isEmpty();
        assertThat(store.has(BLOCK)).isFalse();
    }

    @Test
    void aUnitThatTheDiskDoesNotGiveIsLost() throws IOException {
        storeOnDisk();
        Files.delete(file());
        Files.createDirectory(file());

        assertThat(store.local(BLOCK)).isEmpty();
        assertThat(store.has(BLOCK)).isFalse();
        storeOnDisk();
    }
}
