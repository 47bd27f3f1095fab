/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeName;
import io.paritas.spark.job.ApplicationExecutors;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The executors of the application that runs in this JVM. Thread-safe. */
final class Members {
    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    private final CodeName code;

    /** Executors that have left the application. Their ids are never given again. */
    private final Set<String> removed = ConcurrentHashMap.newKeySet();

    /**
     * Executors that can carry out orders. Spark names an executor as soon as it has a block manager; before Spark 4.2, one that is asked
     * for files of a shuffle so early serves no shuffle ever after.
     */
    private final Set<String> started = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean toldFewer = new AtomicBoolean();

    private final Replacements replacements;

    /**
     * @param code that wants a number of executors
     * @param delay how long those are waited for that replace lost ones
     */
    Members(CodeName code, Duration delay) {
        this.code = code;
        this.replacements = new Replacements(delay, System::nanoTime);
    }

    void started(String executor) {
        started.add(executor);
    }

    void left(String executor) {
        removed.add(executor);
        started.remove(executor);
    }

    boolean hasLeft(String executor) {
        return removed.contains(executor);
    }

    /**
     * The executors of a moment.
     *
     * @param present ids of all
     * @param staying those of them that take files: they have started, and Spark has not told them to leave
     * @param expected how many are about to come, or to start, in place of lost ones
     */
    record Roll(Set<String> present, List<BlockManagerId> staying, int expected) {}

    /** Asks Spark for its executors. */
    Roll roll() {
        Set<String> present = ApplicationExecutors.all().stream()
                .map(BlockManagerId::executorId)
                .filter(executor -> !hasLeft(executor))
                .collect(Collectors.toSet());
        Set<String> able = present.stream().filter(started::contains).collect(Collectors.toSet());
        List<BlockManagerId> staying = ApplicationExecutors.staying().stream()
                .filter(executor -> able.contains(executor.executorId()))
                .toList();
        Set<String> stay = staying.stream().map(BlockManagerId::executorId).collect(Collectors.toSet());
        return new Roll(present, staying, replacements.expected(able, stay));
    }

    /** Says once that there are fewer executors than the code wants, if that is so. */
    void tellFewer(int executors) {
        int needed = code.n();
        if (executors < needed && toldFewer.compareAndSet(false, true)) {
            int k = executors - code.tolerated();
            LOG.warn(
                    "the code {} needs {} executors, there are {}: {}",
                    code,
                    needed,
                    executors,
                    k < 1 ? "shuffles are not coded" : "groups have at most " + k + " map outputs");
        }
    }
}
