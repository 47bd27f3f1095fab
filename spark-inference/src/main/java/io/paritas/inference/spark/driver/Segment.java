/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.driver.Instruction.Mode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The state of a segment, as the driver knows it. Not thread-safe. */
final class Segment {
    private static final long NEVER = Long.MIN_VALUE;
    private static final long NOBODY = -1;

    /* What each running task was told to do, by its id. */
    private final Map<Long, Mode> running = new HashMap<>();
    /* Those of them that have delivered its rows. */
    private final Set<Long> delivered = new HashSet<>();
    private long startedAt = NEVER;
    private long latestStart = NEVER;
    private int level;
    private boolean timed;
    private boolean satisfied;
    /* Whether an attempt has succeeded, and none has started since. */
    private boolean answered;
    private boolean troubled;
    private boolean repeated;
    /* The stripe that its task stays for, after its data; negative if it does not stay. Whether because others start. When it was told so. */
    private int staysFor = -1;
    private boolean awaitsStarts;
    private long stayedAt;
    /* The task that computes its next parity, and when it was last heard of. */
    private long maker = NOBODY;
    private long makerHeardAt;
    /* What the first success used, if it did not compute; a later attempt does the same as long as it can. */
    private Instruction decoded;

    /** 0 without predictions, 1 with those of its data, 1 + j with its first j parities as well. */
    int level() {
        return level;
    }

    /** Whether nobody waits for it: an attempt has delivered its rows and has not failed, and none that has started since is out. */
    boolean satisfied() {
        return satisfied;
    }

    /** Whether an attempt has ever started. */
    boolean started() {
        return startedAt != NEVER;
    }

    /** Whether it has started, somebody waits for it, and there is nothing of it. */
    boolean isOut() {
        return started() && !satisfied && level == 0;
    }

    /** Whether an attempt has failed or was repeated, and none has delivered since. */
    boolean troubled() {
        return troubled;
    }

    /** When its first attempt started. */
    long startedAt() {
        return startedAt;
    }

    /** Nanoseconds since its first attempt started. */
    long age(long now) {
        return now - startedAt;
    }

    /** Nanoseconds since its latest attempt started. */
    long ageOfLatest(long now) {
        return now - latestStart;
    }

    Instruction decoded() {
        return decoded;
    }

    /** An attempt starts: until it delivers, somebody waits. Returns whether it is the first. */
    boolean start(long now) {
        satisfied = false;
        answered = false;
        staysFor = -1;
        boolean first = !started();
        startedAt = first ? now : startedAt;
        latestStart = now;
        troubled |= !first && level == 0 && decoded == null;
        return first;
    }

    /** An attempt is told how it gets the predictions. */
    void run(long task, Mode mode) {
        running.put(task, mode);
    }

    /** An attempt has delivered its data by the model. Returns whether nobody has predicted it before. */
    boolean computed(long task) {
        deliver(task);
        return isPredictedFirst();
    }

    /** An attempt has delivered all its data, which may be none. */
    void deliver(long task) {
        level = Math.max(level, 1);
        delivered.add(task);
        satisfy();
    }

    private boolean isPredictedFirst() {
        boolean first = !timed;
        timed = true;
        return first;
    }

    private void satisfy() {
        satisfied = true;
        troubled = false;
    }

    /** Its data, or all that it has, is predicted and kept by any task for others. Returns whether nobody has predicted it before. */
    boolean made() {
        level = Math.max(level, 1);
        return isPredictedFirst();
    }

    void parity(int count) {
        if (level > 0) {
            level = Math.max(level, 1 + count);
        }
    }

    /** Its task has delivered its data, and stays for a stripe that may need parity, or of which others start. */
    void stays(int stripe, boolean othersStart, long now) {
        staysFor = stripe;
        awaitsStarts = othersStart;
        stayedAt = now;
    }

    /** Its task has delivered its data, and ends. */
    void leaves() {
        staysFor = -1;
    }

    /** The stripe that its task stays for, as far as is known; negative if none does. */
    int staysFor() {
        return satisfied && computing() ? staysFor : -1;
    }

    /** Whether its task stays because others are about to start. */
    boolean awaitsStarts() {
        return awaitsStarts;
    }

    /** Nanoseconds since its task was told to stay. */
    long silence(long now) {
        return now - stayedAt;
    }

    /** A task computes its next parity, or still does. */
    void make(long task, long now) {
        maker = task;
        makerHeardAt = now;
    }

    /** A task does not compute its parity any more. */
    void unmake(long task) {
        maker = maker == task ? NOBODY : maker;
    }

    /** In how many nanoseconds whoever computes its parity is given up; negative if nobody does. */
    long madeFor(long task, long limit, long now) {
        return maker == NOBODY || maker == task ? -1 : makerHeardAt + limit - now;
    }

    /** In how many nanoseconds whoever computes its parity is given up; negative if nobody does. */
    long madeFor(long limit, long now) {
        return madeFor(NOBODY, limit, now);
    }

    /** An attempt has delivered its data, reconstructed. */
    void decoded(long task, Instruction how) {
        decoded = decoded == null && level == 0 ? how : decoded;
        delivered.add(task);
        satisfy();
    }

    /** Its blocks are gone. */
    void lost() {
        level = 0;
    }

    /** What a new attempt was told to fetch is gone. */
    void fetchFailed() {
        if (decoded == null) {
            lost();
            troubled = true;
        }
        decoded = null;
    }

    /** An attempt has succeeded, whatever it did: those that fail after it are not missed. */
    void succeeded(long task) {
        running.remove(task);
        delivered.clear();
        answered = true;
        satisfy();
    }

    /** An attempt has failed, or was killed: if it was the only one that had delivered and none has succeeded, somebody waits again. */
    void failed(long task) {
        Mode mode = running.remove(task);
        boolean had = delivered.remove(task);
        if (!answered) {
            satisfied = delivered.isEmpty() ? satisfied && !had : satisfied || delivered.containsAll(running.keySet());
        }
        troubled |= mode == Mode.COMPUTE && !satisfied && level == 0;
    }

    /** Whether it was begun again once, because there was no parity for it. */
    boolean repeated() {
        return repeated;
    }

    /** It is begun again, because there is no parity for it. */
    void repeat() {
        repeated = true;
    }

    /** Forgets and returns the attempts that compute. */
    Set<Long> takeComputing() {
        Set<Long> tasks = new TreeSet<>();
        running.keySet().stream().filter(this::computes).forEach(tasks::add);
        running.keySet().removeAll(tasks);
        delivered.removeAll(tasks);
        return tasks;
    }

    /** Whether an attempt computes its data; once nobody waits for that, its parity or others' counts, too. */
    boolean computing() {
        return running.keySet().stream().anyMatch(this::computes);
    }

    private boolean computes(long task) {
        return running.get(task) == Mode.COMPUTE && (satisfied || !delivered.contains(task));
    }
}
