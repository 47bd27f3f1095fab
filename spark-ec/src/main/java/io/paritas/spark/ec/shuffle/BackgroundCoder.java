/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the driver's orders, one after the other: tasks need the processors. The driver gets a message when a file is there
 * or cannot be made, for instance because the disk is full; the map output is then left without parity.
 */
final class BackgroundCoder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundCoder.class);

    /** How often it is looked whether Spark has its shuffle manager. */
    private static final int LOOK_MILLIS = 10;

    private final GroupFiles files;
    private final ParityEncoder encoder;
    private final long bytesPerSecond;
    private final PluginContext driver;
    private final ExecutorService worker = ShuffleCoding.daemons(1, "paritas-shuffle-encode");

    /**
     * @param bytesPerSecond bytes that are read, at most; 0 is no limit
     * @param driver to which messages are sent
     */
    BackgroundCoder(GroupFiles files, long bytesPerSecond, PluginContext driver) {
        this.files = files;
        this.encoder = new ParityEncoder(files, bytesPerSecond);
        this.bytesPerSecond = bytesPerSecond;
        this.driver = driver;
    }

    /** Tells the driver that orders can be carried out here, as soon as Spark has its shuffle manager, which it makes after plugins. */
    void tellStarted(String id) {
        worker.execute(() -> {
            try {
                while (!hasShuffleManager()) {
                    TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                }
                tell(ShuffleMessage.STARTED.of(0, 0, id));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** There is not even an environment when the executor ends. */
    private static boolean hasShuffleManager() {
        SparkEnv spark = SparkEnv.get();
        return spark != null && spark.shuffleManager() != null;
    }

    /** Takes an order, and returns at once. One for a shuffle that is over when its turn comes is not carried out. */
    void order(RequestId order, byte[] group, CodedBlockResolver store) {
        worker.execute(() -> {
            if (store.parity().isOver(order.shuffle())) {
                return;
            }
            switch (order.kind()) {
                case MAKE_PARITY -> makeParity(order, group, store.parity());
                case REBUILD -> rebuild(order, group, store);
                default -> store.parity().remove(order.shuffle(), order.file());
            }
        });
    }

    private void makeParity(RequestId order, byte[] groupBytes, ParityFiles store) {
        File parity = null;
        File contents = null;
        try {
            Group group = Group.of(groupBytes);
            parity = store.newFile(order.shuffle(), order.file());
            contents = store.newFile(order.shuffle(), order.file());
            long[] lengths = encoder.encode(group, Group.rowOf(order.file()), parity.toPath(), contents.toPath());
            store.put(order.shuffle(), order.file(), group.k(), parity, contents);
            tell(ShuffleMessage.PARITY_MADE.of(order.shuffle(), order.file(), lengths, here()));
        } catch (Throwable e) { // Spark does not declare all; and an error that leaves this thread ends the executor.
            LOG.info("parity {} of shuffle {} cannot be made", order.file(), order.shuffle(), e);
            tell(ShuffleMessage.PARITY_FAILED.of(
                    order.shuffle(), order.file(), here(), String.valueOf(e.getMessage())));
        } finally {
            delete(parity);
            delete(contents);
        }
    }

    private void rebuild(RequestId order, byte[] group, CodedBlockResolver store) {
        File data = null;
        try {
            data = store.newFile(order.shuffle(), order.file());
            long[] lengths = write(order, Group.of(group), data, store.parity());
            store.commit(order.shuffle(), order.file(), lengths, data);
            tell(ShuffleMessage.REBUILT.of(order.shuffle(), order.file(), (Object) here()));
        } catch (Throwable e) { // as above
            LOG.info("map output {} of shuffle {} cannot be made again", order.file(), order.shuffle(), e);
            tell(ShuffleMessage.REBUILD_FAILED.of(
                    order.shuffle(), order.file(), here(), String.valueOf(e.getMessage())));
        } finally {
            delete(data);
        }
    }

    /** Writes the bytes of a map output; returns the lengths of its partitions. */
    private long[] write(RequestId order, Group group, File data, ParityFiles parity) throws IOException {
        BlockDecoder copier = decoder(order, group);
        if (copier.isThere()) {
            try {
                return write(copier.copying(), order.from(), 1, data);
            } catch (IOException e) {
                if (parity.isOver(order.shuffle())) {
                    throw e;
                }
                LOG.info("map output {} of shuffle {} is decoded, not copied", order.file(), order.shuffle(), e);
            }
        }
        BlockDecoder decoder = decoder(order, group);
        return decoder.untilRight(() -> write(decoder, order.from(), group.k(), data));
    }

    private BlockDecoder decoder(RequestId order, Group group) {
        return new BlockDecoder(files, group, order.file(), at -> false);
    }

    /** @param reads how many bytes are read to write one */
    private long[] write(BlockDecoder decoder, int partitions, int reads, File data) throws IOException {
        Contents contents = decoder.contents(0, partitions);
        try (PacedChannel out = new PacedChannel(
                FileChannel.open(
                        data.toPath(),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE),
                reads,
                new Pace(bytesPerSecond))) {
            decoder.decode(contents, out);
        }
        return contents.lengths();
    }

    private static Object[] here() {
        return ShuffleMessage.executor(SparkEnv.get().blockManager().blockManagerId());
    }

    /** Of an executor that ends, the driver hears as of one that is lost: that its work was interrupted is no failure. */
    private void tell(Object message) {
        if (worker.isShutdown()) {
            return;
        }
        try {
            driver.send(message);
        } catch (IOException | RuntimeException e) {
            LOG.info("the driver cannot be told {}: {}", Arrays.toString((Object[]) message), e.getMessage());
        }
    }

    private static void delete(File file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file.toPath());
            }
        } catch (IOException e) {
            LOG.warn("{} stays: {}", file, e.getMessage());
        }
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
