/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Option;

/**
 * The map outputs of a shuffle as Spark's tracker keeps them, but that outputs stay when their executor is lost, if they can be
 * decoded: they get a {@link LostLocation}. There is no moment at which such an output is missing, so no stage runs again.
 */
final class CodedShuffleStatus extends ShuffleStatus {
    private static final Logger LOG = LoggerFactory.getLogger(CodedShuffleStatus.class);

    /** Nobody's location: who removes the outputs here removes all, because they are wrong, not because they are lost. */
    private static final BlockManagerId EVERYWHERE = elsewhere("everywhere");

    /** Of how many partitions the sizes are added up, because the scheduler waits. */
    private static final int SAMPLED = 1_000;

    /** After so many outputs that could not be decoded the others are not tried: a stage has four attempts. */
    private static final int FAILURES = 2;

    private final int shuffle;
    private final int partitions;
    private final ShuffleGroups groups;
    private final ShuffleCounts counts;
    private final Application application;

    /** Partitions of outputs that were lost, by attempt: somebody may have copied the file, or made it again, and tell it late. */
    private final Map<Long, Integer> lost = new ConcurrentHashMap<>();

    /** Lists that executors may be about to read, although outputs have moved. */
    private final Queue<Broadcast<byte[][]>> former = new ConcurrentLinkedQueue<>();

    /** How many of this one could not. Guarded by {@link #locations}. */
    private int own;

    /** Held while outputs get another location, or are dropped. Locks of Spark are taken after it, not before. */
    private final Object locations = new Object();

    /**
     * What all shuffles of an application share.
     *
     * @param failures how many outputs could not be decoded, by the id of their lost location; for many threads
     * @param changed takes the number of a shuffle when its outputs may be coded; must not block
     * @param unwanted destroys the list of a shuffle's outputs some time after it has changed; must not block
     */
    record Application(Map<String, Integer> failures, IntConsumer changed, Consumer<Broadcast<?>> unwanted) {}

    /** @param partitions of the reducers */
    CodedShuffleStatus(
            int shuffle,
            int maps,
            int partitions,
            ShuffleGroups groups,
            ShuffleCounts counts,
            Application application) {
        super(maps, -1);
        this.shuffle = shuffle;
        this.partitions = partitions;
        this.groups = groups;
        this.counts = counts;
        this.application = application;
    }

    @Override
    public boolean addMapOutput(int partition, MapStatus status) {
        boolean mismatch = super.addMapOutput(partition, status);
        groups.add(partition, status.mapId(), status.location(), size(status));
        if (groups.hasLeft(status.location())) {
            // The scheduler has heard that the task has ended after its executor was removed.
            drop(partition, status.location());
        }
        application.changed().accept(shuffle);
        return mismatch;
    }

    /** About how large an output is; 0 only if it is empty. */
    private long size(MapStatus status) {
        int step = Math.max(1, partitions / SAMPLED);
        long size = size(status, step) * step;
        return size == 0 && step > 1 ? size(status, 1) : size;
    }

    private long size(MapStatus status, int step) {
        long size = 0;
        for (int partition = 0; partition < partitions; partition += step) {
            size += status.getSizeForBlock(partition);
        }
        return size;
    }

    @Override
    public void updateMapOutput(long map, BlockManagerId to) {
        synchronized (locations) {
            if (groups.has(map)) {
                super.updateMapOutput(map, to);
                groups.moved(map, to);
                if (groups.hasLeft(to)) {
                    // It was removed before this came.
                    removeOutputsOnExecutor(to.executorId());
                }
            } else {
                recover(map, to);
            }
        }
    }

    /** Spark would also recover outputs that were dropped because they are wrong, and not know later where they move. */
    private void recover(long map, BlockManagerId at) {
        Integer partition = lost.remove(map);
        MapStatus status = partition == null ? null : mapStatusesDeleted()[partition];
        /* Meanwhile another attempt may be there, or may have been lost in turn. */
        if (status == null || status.mapId() != map || output(partition) != null) {
            LOG.info("map output {} of shuffle {} comes too late to {}", map, shuffle, at);
            return;
        }
        status.updateLocation(at);
        addMapOutput(partition, status);
    }

    /** A reducer could not read the output. */
    @Override
    public void removeMapOutput(int partition, BlockManagerId at) {
        synchronized (locations) {
            if (drop(partition, at) && LostLocation.is(at)) {
                application.failures().merge(at.executorId(), 1, Integer::sum);
                own++;
            }
        }
    }

    /** Returns whether it was there. */
    private boolean drop(int partition, BlockManagerId at) {
        synchronized (locations) {
            MapStatus status = output(partition);
            super.removeMapOutput(partition, at);
            if (status == null || !status.location().equals(at)) {
                return false;
            }
            lost.put(status.mapId(), partition);
            groups.removed(partition, status.mapId());
            counts.lost();
            return true;
        }
    }

    /** Spark's own takes its lock first. */
    @Override
    public void removeOutputsOnExecutor(String executor) {
        removeOutputsByFilter(location -> location.executorId().equals(executor));
    }

    /** Spark's own takes its lock first. The host may have executors of other workers, which have not left. */
    @Override
    public void removeOutputsOnHost(String host) {
        removeOutputsByFilter(location -> location.host().equals(host) && groups.hasLeft(location));
    }

    @Override
    public void removeOutputsByFilter(Function1<BlockManagerId, Object> filter) {
        if (matches(filter, EVERYWHERE)) {
            synchronized (locations) {
                super.removeOutputsByFilter(filter);
                groups.clear();
                lost.clear();
                own = 0;
            }
            for (Broadcast<?> list = former.poll(); list != null; list = former.poll()) {
                ShuffleCoding.destroy(list);
            }
            return;
        }
        groups.lost(executor -> matches(filter, executor));
        int kept = 0;
        int dropped = 0;
        MapStatus[] statuses = copy();
        for (int partition = 0; partition < statuses.length; partition++) {
            MapStatus status = statuses[partition];
            if (status == null) {
                continue;
            }
            // It may move meanwhile, and is not lost then.
            synchronized (locations) {
                BlockManagerId at = status.location();
                if (!(LostLocation.is(at) || matches(filter, at))) {
                    continue;
                }
                if (isGivenUp(filter, at) || !groups.decodable(status.mapId())) {
                    drop(partition, at);
                    dropped++;
                } else if (!LostLocation.is(at)) {
                    super.updateMapOutput(status.mapId(), LostLocation.of(at));
                    kept++;
                }
            }
        }
        if (kept + dropped > 0) {
            LOG.info(
                    "shuffle {} has lost an executor: {} map outputs are decoded from now on, {} are computed again",
                    shuffle,
                    kept,
                    dropped);
            counts.kept(kept);
        }
        application.changed().accept(shuffle);
    }

    /**
     * Whether outputs of a lost executor are computed again although they can be decoded. Spark names the executor to all shuffles when an
     * output of one of them could not be decoded; a lost host names none. If that is not the first one of this executor, which other
     * shuffles of a join have outputs of, too, all of it go. If it is not the first one of this shuffle, so do those of each lost
     * executor with such an output, because a stage has four attempts for all of them.
     */
    private boolean isGivenUp(Function1<BlockManagerId, Object> filter, BlockManagerId location) {
        if (!LostLocation.is(location)) {
            return false;
        }
        int failed = application.failures().getOrDefault(location.executorId(), 0);
        boolean named = matches(filter, elsewhere(location.executorId()));
        return (named && failed >= FAILURES) || (own >= FAILURES && failed > 0);
    }

    private static BlockManagerId elsewhere(String executor) {
        return BlockManagerId.apply(executor, "paritas.invalid", 1, Option.empty());
    }

    /**
     * Spark destroys the list that it has sent to executors as soon as an output moves, and the tasks of those that are about to read it
     * fail. That list does no harm while outputs stay what they are: what has moved is decoded, or found. Where all are computed again, a
     * slow reader would take those of former attempts, so all lists are destroyed then.
     */
    @Override
    public void invalidateSerializedMapOutputStatusCache() {
        Broadcast<byte[][]> sent = cachedSerializedBroadcast();
        if (sent != null) {
            cachedSerializedBroadcast_$eq(null);
            former.removeIf(list -> !list.isValid());
            former.add(sent);
            application.unwanted().accept(sent);
        }
        super.invalidateSerializedMapOutputStatusCache();
    }

    private MapStatus output(int partition) {
        return withMapStatuses(outputs -> outputs[partition]);
    }

    private MapStatus[] copy() {
        return withMapStatuses(MapStatus[]::clone);
    }

    private static boolean matches(Function1<BlockManagerId, Object> filter, BlockManagerId location) {
        return (Boolean) filter.apply(location);
    }
}
