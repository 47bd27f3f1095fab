/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The state of a segment, as the driver knows it. Not thread-safe. */
final class Segment {
    private static final long NEVER = Long.MIN_VALUE;

    /* What each running task was told to do, by its id. */
    private final Map<Long, Mode> running = new HashMap<>();
    private long startedAt = NEVER;
    private int level;
    private boolean timed;
    private boolean satisfied;
    private boolean inParity;
    /* What the first success used, if it did not compute; a later attempt does the same as long as it can. */
    private Instruction decoded;

    /** 0 without predictions, 1 with those of its data, 1 + j with its first j parities as well. */
    int level() {
        return level;
    }

    /** Whether nobody waits for it: an attempt has delivered its rows, and no other has started since. */
    boolean satisfied() {
        return satisfied;
    }

    /** Nanoseconds since its first attempt started. */
    long age(long now) {
        return now - startedAt;
    }

    Instruction decoded() {
        return decoded;
    }

    /** An attempt starts: until it delivers, somebody waits. Returns whether it is the first. */
    boolean start(long now) {
        satisfied = false;
        inParity = false;
        boolean first = startedAt == NEVER;
        startedAt = first ? now : startedAt;
        return first;
    }

    /** An attempt is told how it gets the predictions. */
    void run(long task, Mode mode) {
        running.put(task, mode);
    }

    /** An attempt has delivered its data by the model. Returns whether it is the first that did, ever. */
    boolean computed() {
        boolean first = !timed;
        timed = true;
        level = Math.max(level, 1);
        satisfied = true;
        return first;
    }

    void parity(int count) {
        if (level > 0) {
            level = Math.max(level, 1 + count);
        }
    }

    /** Its attempt has delivered its data, and is told which parity to compute next; -1 for none. */
    void nextParity(int parity) {
        inParity = parity >= 0;
    }

    /** Whether an attempt is computing a parity, as far as is known, and nothing else. */
    boolean inParity() {
        return inParity && satisfied && computing();
    }

    /** An attempt has delivered its data, reconstructed. */
    void decoded(Instruction how) {
        decoded = decoded == null && level == 0 ? how : decoded;
        satisfied = true;
    }

    /** Its blocks are gone. */
    void lost() {
        level = 0;
    }

    /** What a new attempt was told to fetch is gone. */
    void fetchFailed() {
        if (decoded == null) {
            lost();
        }
        decoded = null;
    }

    /** An attempt has succeeded, whatever it did. */
    void succeeded(long task) {
        running.remove(task);
        satisfied = true;
    }

    /** An attempt has failed, or was killed. */
    void failed(long task) {
        running.remove(task);
    }

    /** Forgets and returns the attempts that compute. */
    Set<Long> takeComputing() {
        Set<Long> tasks = new TreeSet<>();
        running.forEach((task, mode) -> {
            if (mode == Mode.COMPUTE) {
                tasks.add(task);
            }
        });
        tasks.forEach(running::remove);
        return tasks;
    }

    boolean computing() {
        return running.containsValue(Mode.COMPUTE);
    }
}
