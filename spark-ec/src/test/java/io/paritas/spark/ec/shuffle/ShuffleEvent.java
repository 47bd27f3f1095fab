/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** What happens in a {@link ShuffleSimulation}. */
enum ShuffleEvent {
    A_MAP_TASK_ENDS(22, ShuffleSimulation::runTask),
    A_TASK_ENDS_THAT_HAS_RUN_TWICE(3, ShuffleSimulation::runTaskAgain),
    A_MESSAGE_ARRIVES(24, ShuffleSimulation::receive),
    AN_ORDER_ARRIVES(20, ShuffleSimulation::deliver),
    AN_ORDER_IS_CARRIED_OUT(18, ShuffleSimulation::carryOut),
    THE_DRIVER_PLANS(8, ShuffleSimulation::plan),
    THE_DRIVER_REPAIRS(6, ShuffleSimulation::repair),
    A_REDUCER_READS(3, ShuffleSimulation::read),
    AN_EXECUTOR_JOINS(2, ShuffleSimulation::join),
    AN_EXECUTOR_DIES(4, ShuffleSimulation::kill),
    A_RACK_DIES(2, ShuffleSimulation::killRack),
    A_DEAD_ONE_IS_MISSED(4, ShuffleSimulation::miss),
    AN_EXECUTOR_IS_TO_LEAVE(2, ShuffleSimulation::tellToLeave),
    WHO_LEAVES_ASKS(10, ShuffleSimulation::askToLeave),
    A_DISK_IS_FULL(2, ShuffleSimulation::fillDisk),
    A_FILE_CANNOT_BE_READ(1, ShuffleSimulation::breakFile),
    ALL_OUTPUTS_ARE_DROPPED(1, ShuffleSimulation::dropAll);

    /** How often it happens, against the others. */
    private final int weight;

    private final Consumer<ShuffleSimulation> happening;

    ShuffleEvent(int weight, Consumer<ShuffleSimulation> happening) {
        this.weight = weight;
        this.happening = happening;
    }

    /** How often each happens in one history: some of them are more frequent than in others. */
    static final class Weather {
        private final List<ShuffleEvent> lots = new ArrayList<>();

        Weather(Random random) {
            for (ShuffleEvent event : values()) {
                int times = random.nextInt(3) == 0 ? 4 : 1;
                lots.addAll(Collections.nCopies(times * event.weight, event));
            }
        }

        ShuffleEvent next(Random random) {
            return lots.get(random.nextInt(lots.size()));
        }
    }

    /** It happens to somebody, if it can. */
    void happen(ShuffleSimulation simulation) {
        happening.accept(simulation);
    }
}
