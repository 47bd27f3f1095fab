/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.FallbackStorage;

/** The executors of a {@link ShuffleSimulation} and the files that they really have, whatever the driver knows. */
final class SimulatedFiles {
    /** Attempts of map tasks have numbers from here on. Those of parity files are smaller. */
    static final long FIRST_OUTPUT = 1_000_000;

    private final List<SimulatedExecutor> executors = new ArrayList<>();

    SimulatedExecutor join() {
        SimulatedExecutor executor = new SimulatedExecutor(executors.size());
        executors.add(executor);
        return executor;
    }

    List<SimulatedExecutor> all() {
        return List.copyOf(executors);
    }

    /** Those that are dead, which the driver does not know. */
    List<SimulatedExecutor> unmissed() {
        return executors.stream()
                .filter(executor -> executor.isDead && !executor.isMissed)
                .toList();
    }

    /** Who has that id; none for the fallback storage. */
    Optional<SimulatedExecutor> find(BlockManagerId id) {
        return executors.stream().filter(executor -> executor.id.equals(id)).findFirst();
    }

    static boolean isOutput(long file) {
        return file >= FIRST_OUTPUT;
    }

    static boolean hasBytes(MapStatus output) {
        return output.getSizeForBlock(0) > 0;
    }

    static boolean isInFallback(BlockManagerId at) {
        return at.equals(FallbackStorage.FALLBACK_BLOCK_MANAGER_ID());
    }

    boolean has(Unit unit) {
        return has(unit.at(), unit.file());
    }

    boolean has(BlockManagerId at, long file) {
        return find(at).filter(executor -> executor.has(file)).isPresent();
    }

    /** Whether a map output can be made of other files of a group, that are there and are known to be. */
    boolean decode(Group group, long map) {
        Group real = group;
        for (int unit = 0; unit < group.units().size(); unit++) {
            if (!has(group.units().get(unit))) {
                real = real.without(unit);
            }
        }
        return real.decodes(group.indexOf(map));
    }
}
