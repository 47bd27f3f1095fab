/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import scala.runtime.AbstractFunction1;

/** The driver of a {@link ShuffleSimulation}: the real list of map outputs, and the real groups. */
final class SimulatedDriver {
    private static final int SHUFFLE = 6;

    final ShuffleGroups groups;
    private final CodedShuffleStatus status;
    private final BiConsumer<BlockManagerId, ShuffleOrder> send;

    /** Ids of executors that have left the application, as it knows. */
    private final Set<String> left = new HashSet<>();

    /** Executors that have asked whether they may leave. */
    private final Set<BlockManagerId> leaving = new HashSet<>();

    private boolean isChanged;

    /** @param send takes orders */
    SimulatedDriver(int maps, CodeName code, BiConsumer<BlockManagerId, ShuffleOrder> send) {
        this.send = send;
        this.groups = new ShuffleGroups(SHUFFLE, maps, code, 0, left::contains);
        this.status = new CodedShuffleStatus(
                SHUFFLE,
                maps,
                1,
                groups,
                new ShuffleCounts(),
                new CodedShuffleStatus.Application(new HashMap<>(), shuffle -> isChanged = true, list -> {}));
    }

    /** The executors of a moment, as Spark lists them, and how many are about to come. */
    record Roll(List<BlockManagerId> executors, int expected) {}

    /** Whether outputs or groups have changed since it was asked last. */
    boolean isChanged() {
        boolean was = isChanged;
        isChanged = false;
        return was;
    }

    Optional<MapStatus> output(int partition) {
        return Optional.ofNullable(status.mapStatuses()[partition]);
    }

    List<MapStatus> outputs() {
        return IntStream.range(0, status.mapStatuses().length)
                .mapToObj(this::output)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Whether it may order files from an executor. */
    boolean trusts(BlockManagerId executor) {
        return !left.contains(executor.executorId()) && !leaving.contains(executor);
    }

    private List<BlockManagerId> staying(Roll roll) {
        return roll.executors().stream()
                .filter(executor -> !left.contains(executor.executorId()))
                .toList();
    }

    void plan(Roll roll) {
        groups.orderMendings(staying(roll), roll.expected())
                .forEach(mending -> makeParity(mending.group(), mending.parity()));
        groups.formGroups(staying(roll), roll.expected())
                .forEach(group -> group.parity().forEach(parity -> makeParity(group, parity)));
    }

    private void makeParity(Group group, Group.Unit parity) {
        send.accept(parity.at(), new ShuffleOrder.MakeParity(group, parity.file()));
    }

    private void rebuild(Roll roll) {
        groups.orderRebuilds(staying(roll), roll.expected())
                .forEach(rebuild ->
                        send.accept(rebuild.home(), new ShuffleOrder.Rebuild(rebuild.group(), rebuild.map())));
    }

    void repair(Roll roll) {
        groups.beginRound();
        plan(roll);
        rebuild(roll);
        groups.forgetSuperfluous().forEach(parity -> delete(parity.at(), parity.file()));
    }

    private void delete(BlockManagerId executor, long parity) {
        send.accept(executor, new ShuffleOrder.DeleteParity(parity));
    }

    /** What an executor that leaves does about an output. */
    Departures.Parting parting(BlockManagerId executor, long map, Roll roll) {
        askOthers(executor, groups.isUnplaced(map), roll);
        return groups.parting(map, executor);
    }

    /** What an executor that leaves does about its parity. */
    Departures.Parting parting(BlockManagerId executor, Roll roll) {
        askOthers(executor, groups.isUnplaced(executor), roll);
        return groups.parting(executor);
    }

    private void askOthers(BlockManagerId executor, boolean isUnplaced, Roll roll) {
        leaving.add(executor);
        if (groups.beginLeaving(executor) || isUnplaced) {
            plan(roll);
            rebuild(roll);
        }
    }

    void taskHasEnded(int partition, MapStatus output) {
        status.addMapOutput(partition, output);
    }

    void parityIsMade(long file, long[] lengths, BlockManagerId by) {
        if (!left.contains(by.executorId()) && !groups.done(Group.groupOf(file), Group.rowOf(file), by, lengths)) {
            delete(by, file);
        }
    }

    void parityFails(long file, BlockManagerId by) {
        groups.failed(Group.groupOf(file), Group.rowOf(file), by);
        isChanged = true;
    }

    void outputIsRebuilt(long map, BlockManagerId by) {
        if (!left.contains(by.executorId())) {
            outputIsAt(map, by);
            isChanged = true;
        }
    }

    void rebuildFails(long map, BlockManagerId by) {
        groups.rebuildFailed(map, by);
    }

    /** Spark tells where an output is. */
    void outputIsAt(long map, BlockManagerId at) {
        status.updateMapOutput(map, at);
    }

    void executorIsLost(BlockManagerId executor) {
        left.add(executor.executorId());
        status.removeOutputsOnExecutor(executor.executorId());
    }

    /** A reducer could neither fetch an output nor decode it. Spark takes its executor for lost. */
    void fetchFails(int partition, BlockManagerId at) {
        status.removeMapOutput(partition, at);
        status.removeOutputsOnExecutor(at.executorId());
    }

    /** All outputs may be wrong, and are computed again. */
    void removeAll() {
        status.removeOutputsByFilter(new AbstractFunction1<>() {
            @Override
            public Object apply(BlockManagerId everywhere) {
                return true;
            }
        });
    }
}
