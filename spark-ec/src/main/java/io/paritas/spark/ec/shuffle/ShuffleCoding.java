/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The driver's part: which map outputs are coded together, who makes the parity, and what is left of each group. Thread-safe. */
final class ShuffleCoding implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleCoding.class);

    /** Orders that are under way to executors at once. */
    private static final int SENDERS = 4;

    /** Of the application that runs in this JVM, or null. */
    private static volatile ShuffleCoding current;

    private final ShuffleSettings settings;
    private final Map<Integer, ShuffleGroups> shuffles = new ConcurrentHashMap<>();
    /** Shuffles to be looked at. */
    private final Set<Integer> changed = ConcurrentHashMap.newKeySet();

    private final ExecutorService planner = daemons(1, "paritas-shuffle-plan");
    private final ExecutorService senders = daemons(SENDERS, "paritas-shuffle-order");
    private final AtomicBoolean toldFewer = new AtomicBoolean();

    ShuffleCoding(ShuffleSettings settings) {
        this.settings = settings;
    }

    static ExecutorService daemons(int threads, String name) {
        return Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    static Optional<ShuffleCoding> current() {
        return Optional.ofNullable(current);
    }

    static void start(ShuffleCoding coding) {
        current = coding;
    }

    /** Keeps the outputs of a new shuffle, instead of Spark's own list of them. */
    ShuffleStatus register(int shuffle, int maps, int partitions) {
        ShuffleGroups groups = new ShuffleGroups(shuffle, maps, settings.code(), settings.minSize());
        shuffles.put(shuffle, groups);
        return new CodedShuffleStatus(shuffle, maps, partitions, groups, this::changed);
    }

    void unregister(int shuffle) {
        shuffles.remove(shuffle);
    }

    /** Sums up how far the coding of all shuffles is. */
    int count(ToIntFunction<ShuffleGroups.Progress> what) {
        return shuffles.values().stream()
                .map(ShuffleGroups::progress)
                .mapToInt(what)
                .sum();
    }

    private void changed(int shuffle) {
        if (changed.add(shuffle)) {
            try {
                planner.execute(() -> {
                    changed.remove(shuffle);
                    plan(shuffle);
                });
            } catch (RejectedExecutionException e) {
                LOG.debug("the application has ended: shuffle {} is not coded", shuffle);
            }
        }
    }

    private void plan(int shuffle) {
        ShuffleGroups groups = shuffles.get(shuffle);
        if (groups == null) {
            return;
        }
        List<BlockManagerId> executors = executors();
        int needed = settings.code().n();
        if (groups.isDue() && executors.size() < needed && toldFewer.compareAndSet(false, true)) {
            int k = executors.size() - settings.code().parameters().r();
            LOG.warn(
                    "the code {} needs {} executors, there are {}: {}",
                    settings.code(),
                    needed,
                    executors.size(),
                    k < 1 ? "shuffles are not coded" : "groups have at most " + k + " map outputs");
        }
        for (Group group : groups.plan(executors)) {
            for (int row = 0; row < group.r(); row++) {
                Unit parity = group.parity(row);
                senders.execute(() -> send(group, parity));
            }
        }
    }

    private static List<BlockManagerId> executors() {
        return CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMemoryStatus())
                .keySet()
                .stream()
                .filter(executor -> !executor.isDriver())
                .toList();
    }

    private void send(Group group, Unit parity) {
        try {
            SparkEnv.get()
                    .blockManager()
                    .blockTransferService()
                    .uploadBlockSync(
                            parity.at().host(),
                            parity.at().port(),
                            parity.at().executorId(),
                            RequestId.order(group.shuffle(), parity.file()).blockId(),
                            new NioManagedBuffer(ByteBuffer.wrap(group.toBytes())),
                            StorageLevel.DISK_ONLY(),
                            ClassTag$.MODULE$.apply(byte[].class));
        } catch (IOException | RuntimeException e) {
            failed(group.shuffle(), parity.file(), e.getMessage());
        }
    }

    /** An executor has made a parity file. */
    void done(int shuffle, long parityFile, long[] lengths) {
        ShuffleGroups groups = shuffles.get(shuffle);
        if (groups != null) {
            groups.done(Group.groupOf(parityFile), Group.rowOf(parityFile), lengths);
        }
    }

    /** An executor could not make a parity file. */
    void failed(int shuffle, long parityFile, String reason) {
        ShuffleGroups groups = shuffles.get(shuffle);
        if (groups != null) {
            LOG.info("parity {} of shuffle {} could not be made: {}", parityFile, shuffle, reason);
            groups.failed(Group.groupOf(parityFile));
            changed(shuffle);
        }
    }

    /** The group of a map output, for who must decode it; no bytes if it cannot be decoded. */
    byte[] group(int shuffle, long map) {
        return Optional.ofNullable(shuffles.get(shuffle))
                .flatMap(groups -> groups.group(map))
                .map(Group::toBytes)
                .orElse(new byte[0]);
    }

    @Override
    public void close() {
        current = null;
        planner.shutdownNow();
        senders.shutdownNow();
    }
}
