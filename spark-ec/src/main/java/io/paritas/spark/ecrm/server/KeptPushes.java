/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Updates of attempts that were refused or wait for the end of a pause, so that their workers need not send them again.
 * Keeps the last ones of each worker, and drops the oldest where all take too much memory: their workers are asked for
 * them.
 */
final class KeptPushes {
    /** @param asked when the updates were last asked for */
    private record Kept(Stage stage, long asked) {}

    private final long most;
    /** By worker, the oldest first. */
    private final Map<Integer, Kept> byWorker = new LinkedHashMap<>();

    private long bytes;

    /** @param most bytes that may be kept */
    KeptPushes(long most) {
        this.most = most;
    }

    /** Keeps updates instead of earlier ones of their worker; does nothing if they have arrived twice. */
    void keep(Stage stage, long now) {
        Kept before = byWorker.get(stage.tx().worker());
        if (before != null && before.stage().tx().equals(stage.tx())) {
            return;
        }
        forget(stage.tx().worker());
        if (stage.bytes() <= most) {
            bytes += stage.bytes();
            byWorker.put(stage.tx().worker(), new Kept(stage, now));
            while (bytes > most) {
                forget(byWorker.keySet().iterator().next());
            }
        }
    }

    /** Returns the updates of a push whose first attempt has this sequence number, and keeps them no longer. */
    Optional<Stage> take(int worker, long since) {
        Optional<Stage> kept = Optional.ofNullable(byWorker.get(worker))
                .map(Kept::stage)
                .filter(stage -> stage.tx().sequence() >= since);
        forget(worker);
        return kept;
    }

    /** Returns all updates, the oldest first, and keeps them no longer. */
    List<Stage> takeAll() {
        List<Stage> all = byWorker.values().stream().map(Kept::stage).toList();
        byWorker.clear();
        bytes = 0;
        return all;
    }

    void forget(int worker) {
        Kept kept = byWorker.remove(worker);
        if (kept != null) {
            bytes -= kept.stage().bytes();
        }
    }

    /** Records that the worker still wants to make these updates. */
    void asked(int worker, long now) {
        byWorker.computeIfPresent(worker, (none, kept) -> new Kept(kept.stage(), now));
    }

    /** Drops what was last asked for before a time: its worker is gone. */
    void dropBefore(long time) {
        List<Integer> old = byWorker.entrySet().stream()
                .filter(entry -> entry.getValue().asked() < time)
                .map(Map.Entry::getKey)
                .toList();
        old.forEach(this::forget);
    }

    /** Returns the bytes of all updates. */
    long bytes() {
        return bytes;
    }
}
