/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/** What a coded shuffle promises, whatever happens in a {@link ShuffleSimulation}. */
final class ShufflePromises {
    /** Failures after which an output may be given up. */
    private static final int PATIENCE = 3;

    private final SimulatedFiles files;
    private final SimulatedDriver driver;

    ShufflePromises(SimulatedFiles files, SimulatedDriver driver) {
        this.files = files;
        this.driver = driver;
    }

    /** The outputs that executors have, or had. Nobody reads empty ones, and nobody loses what is in the fallback storage. */
    private List<MapStatus> outputs() {
        return driver.outputs().stream()
                .filter(output -> SimulatedFiles.hasBytes(output) && !SimulatedFiles.isInFallback(output.location()))
                .toList();
    }

    /** After each event. */
    void always() {
        boolean allIsKnown = files.unmissed().isEmpty();
        for (MapStatus output : outputs()) {
            long map = output.mapId();
            BlockManagerId at = output.location();
            boolean isDecodable = driver.groups.decodable(map);
            if (LostLocation.is(at)) {
                assertThat(isDecodable)
                        .as("every lost output is decodable, or reported: output %s", map)
                        .isTrue();
            } else {
                assertThat(files.find(at).orElseThrow().isDead || files.has(at, map))
                        .as("every output is where it is said to be: output %s at %s", map, at)
                        .isTrue();
            }
            if (isDecodable && allIsKnown) {
                assertThat(files.decode(driver.groups.group(map).orElseThrow(), map))
                        .as("what counts as decodable is: output %s", map)
                        .isTrue();
            }
        }
    }

    /** When an order is given. */
    void ordered(BlockManagerId executor, ShuffleOrder order) {
        assertThat(order instanceof ShuffleOrder.DeleteParity || driver.trusts(executor))
                .as("nothing is ordered from who has left or is to leave: %s is to %s", executor, order)
                .isTrue();
    }

    /** When nothing has happened to executors for long. */
    void atRest() {
        assertThat(files.all().stream().filter(SimulatedExecutor::isLeaving))
                .as("who is to leave is answered at last")
                .isEmpty();
        for (MapStatus output : outputs()) {
            long map = output.mapId();
            if (!mayBeGivenUp(map)) {
                assertThat(LostLocation.is(output.location()))
                        .as("every lost output is made again: output %s", map)
                        .isFalse();
                assertThat(driver.groups.decodable(map))
                        .as("every output has parity at last: output %s", map)
                        .isTrue();
            }
        }
    }

    /** Whether orders have failed too often. Full disks do not count: their executors are gone then. */
    private boolean mayBeGivenUp(long map) {
        int failures = files.all().stream()
                .mapToInt(executor -> Collections.frequency(executor.failures, map))
                .sum();
        return failures >= PATIENCE
                && files.all().stream().anyMatch(executor -> !executor.isFull && executor.failures.contains(map));
    }

    /** When nobody needs the shuffle any more. */
    void atTheEnd() {
        assertThat(driver.groups.holders()).as("nothing is kept at the end").isEmpty();
        files.all().stream().filter(executor -> !executor.isDoubted).forEach(executor -> assertThat(executor.files)
                .as("no parity is kept at the end by %s", executor)
                .allMatch(SimulatedFiles::isOutput));
    }
}
