/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.Outcome;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one server knows of an attempt to commit an iteration. */
final class Attempt {
    /** How far what the worker sent here has come. */
    enum Part {
        NONE,
        WAITS_FOR_ROWS,
        WAITS_FOR_PARITY,
        STAGED
    }

    final TxId id;
    final long since;
    private Part part = Part.NONE;
    private Stage stage;
    /** Of the rows that this server owns. */
    final List<Difference> own = new ArrayList<>();
    /** What other servers have not yet said to be staged. */
    final Map<Address, StageParity> forwarded = new LinkedHashMap<>();
    /** By owner: what came, and is not staged yet. */
    final Map<Address, StageParity> waiting = new LinkedHashMap<>();
    /** By owner: what is staged of the parity that this server has. */
    final Map<Address, StageParity> parity = new HashMap<>();

    private Outcome outcome;
    private boolean asked;
    long told;

    Attempt(TxId id, long since) {
        this.id = id;
        this.since = since;
        this.told = since;
    }

    /** Of which nothing will be staged. */
    static Attempt aborted(TxId id, long since) {
        Attempt attempt = new Attempt(id, since);
        attempt.end(Outcome.ABORTED);
        return attempt;
    }

    void begin(Stage message) {
        stage = message;
        part = Part.WAITS_FOR_ROWS;
    }

    void forward() {
        part = Part.WAITS_FOR_PARITY;
    }

    void staged() {
        part = Part.STAGED;
    }

    Part part() {
        return part;
    }

    Stage stage() {
        return stage;
    }

    /** Whether all that came is staged, so that only the worker or the driver can end it. */
    boolean isVoted() {
        return (part == Part.NONE || part == Part.STAGED) && waiting.isEmpty();
    }

    boolean isOver() {
        return outcome != null;
    }

    Outcome outcome() {
        return outcome;
    }

    /** From now on, only the driver commits it. */
    void ask() {
        asked = true;
    }

    boolean isAsked() {
        return asked;
    }

    /** Drops what was staged. */
    void end(Outcome how) {
        outcome = how;
        stage = null;
        own.clear();
        forwarded.clear();
        waiting.clear();
        parity.clear();
    }

    /** Whether it began before another one; of two that began at once, one of them. */
    boolean isOlderThan(Attempt other) {
        long mine = stage.age();
        long its = other.stage.age();
        return mine != its ? mine < its : id.worker() < other.id.worker();
    }
}
