/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.storage.BlockManagerId;

/** An executor of a {@link ShuffleSimulation}: its files, and its orders, which it carries out one after the other. */
final class SimulatedExecutor {
    final BlockManagerId id;

    /** Attempts of map tasks and parity files. Their numbers differ. */
    final Set<Long> files = new TreeSet<>();

    final Deque<ShuffleOrder> orders = new ArrayDeque<>();

    /** Attempts of map tasks whose files it has given away, before it leaves. */
    final Set<Long> given = new HashSet<>();

    /** Attempts of map tasks for which it could not make a file, each as often as it could not. */
    final List<Long> failures = new ArrayList<>();

    /** Spark has told it to leave. */
    boolean leaves;

    /** It can write no file. */
    boolean isFull;

    boolean isDead;

    /** The driver knows that it is dead. */
    boolean isMissed;

    /** It was taken for lost while it was alive: Spark gives it tasks, but nobody gives it files. */
    boolean isDoubted;

    SimulatedExecutor(int number) {
        this.id = Executors.executor(number);
    }

    boolean isWorking() {
        return !isDead && !leaves;
    }

    boolean isLeaving() {
        return !isDead && leaves;
    }

    boolean has(long file) {
        return files.contains(file);
    }

    void die() {
        isDead = true;
        files.clear();
        orders.clear();
    }

    @Override
    public String toString() {
        return "executor " + id.executorId();
    }
}
