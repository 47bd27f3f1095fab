/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.spark.ec.shuffle.Group.Unit;
import java.util.List;
import java.util.function.Consumer;

/** What a {@link SimulatedDriver} orders from a {@link SimulatedExecutor}. */
sealed interface ShuffleOrder {
    /** A file that nobody needs. */
    record DeleteParity(long file) implements ShuffleOrder {
        @Override
        public String toString() {
            return "delete parity " + file;
        }
    }

    /** A file that is to be made, and the driver waits for. */
    sealed interface Making extends ShuffleOrder {
        long file();

        /** The attempts of map tasks that wait for it. */
        List<Long> maps();

        /** Whether it can be made of the files that there are. */
        boolean isPossible(SimulatedFiles files);

        /** What the driver does when it hears that it is made. */
        Consumer<SimulatedDriver> done(SimulatedExecutor executor);

        /** What the driver does when it hears that it could not be made. */
        Consumer<SimulatedDriver> failed(SimulatedExecutor executor);
    }

    record MakeParity(Group group, long file) implements Making {
        @Override
        public List<Long> maps() {
            return group.data().stream().map(Unit::file).toList();
        }

        @Override
        public boolean isPossible(SimulatedFiles files) {
            return group.data().stream().allMatch(files::has);
        }

        @Override
        public Consumer<SimulatedDriver> done(SimulatedExecutor executor) {
            long[] lengths = group.data().stream().mapToLong(unit -> 100).toArray();
            return driver -> driver.parityIsMade(file, lengths, executor.id);
        }

        @Override
        public Consumer<SimulatedDriver> failed(SimulatedExecutor executor) {
            return driver -> driver.parityFails(file, executor.id);
        }

        @Override
        public String toString() {
            return "make parity " + file + " of " + maps();
        }
    }

    /** It is copied, or decoded. */
    record Rebuild(Group group, long file) implements Making {
        @Override
        public List<Long> maps() {
            return List.of(file);
        }

        @Override
        public boolean isPossible(SimulatedFiles files) {
            Unit copied = group.units().get(group.indexOf(file));
            return (copied.there() && files.has(copied)) || files.decode(group, file);
        }

        @Override
        public Consumer<SimulatedDriver> done(SimulatedExecutor executor) {
            return driver -> driver.outputIsRebuilt(file, executor.id);
        }

        @Override
        public Consumer<SimulatedDriver> failed(SimulatedExecutor executor) {
            return driver -> driver.rebuildFails(file, executor.id);
        }

        @Override
        public String toString() {
            return "rebuild output " + file;
        }
    }
}
