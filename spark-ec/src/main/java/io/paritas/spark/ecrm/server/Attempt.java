/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one server knows of an attempt to commit an iteration: as owner and replica, and as parity server. */
final class Attempt {
    /** How far the server has come with the worker's {@link Stage}. */
    enum Progress {
        /** No {@link Stage} has arrived. */
        NONE,
        /** Some rows are locked, missing or in a closed range. */
        WAITS_FOR_ROWS,
        /** Some parity servers have not staged their differences. */
        WAITS_FOR_PARITY,
        /** The server has voted to commit. */
        STAGED
    }

    final TxId id;
    final long since;
    private Progress progress = Progress.NONE;
    private Stage stage;
    private int[] servers = {};
    /** Differences of the rows that this server owns. */
    List<RowDifferences> own = new ArrayList<>();
    /** By parity server: differences that it has not acknowledged yet. */
    Map<Address, StageParity> forwarded = new LinkedHashMap<>();
    /** By owner: differences that arrived but are not staged yet. */
    Map<Address, StageParity> waiting = new LinkedHashMap<>();
    /** By owner: differences that are staged for parities of this server. */
    Map<Address, StageParity> parity = new HashMap<>();

    private AttemptOutcome outcome;
    private boolean asked;
    /** When requests were last repeated. */
    long repeated;

    Attempt(TxId id, long since) {
        this.id = id;
        this.since = since;
        this.repeated = since;
    }

    /** Returns an attempt that has already been aborted, so that nothing of it will be staged. */
    static Attempt aborted(TxId id, long since) {
        Attempt attempt = new Attempt(id, since);
        attempt.end(AttemptOutcome.ABORTED);
        return attempt;
    }

    void begin(Stage message) {
        stage = message;
        servers = message.servers();
        progress = Progress.WAITS_FOR_ROWS;
    }

    void forward() {
        progress = Progress.WAITS_FOR_PARITY;
    }

    void staged() {
        progress = Progress.STAGED;
    }

    /** Returns the worker that makes the attempt. */
    Address worker() {
        return Address.worker(id.worker());
    }

    Progress progress() {
        return progress;
    }

    Stage stage() {
        return stage;
    }

    /** Returns the numbers of the servers that stage a part of the attempt; none before {@link #begin}. */
    int[] servers() {
        return servers;
    }

    /** Whether everything that arrived is staged, so that only the worker or the driver can end the attempt. */
    boolean isVoted() {
        return (progress == Progress.NONE || progress == Progress.STAGED) && waiting.isEmpty();
    }

    boolean isOver() {
        return outcome != null;
    }

    AttemptOutcome outcome() {
        return outcome;
    }

    /** Records that the driver has asked for the outcome: from now on only the driver can commit. */
    void ask() {
        asked = true;
    }

    boolean isAsked() {
        return asked;
    }

    /** Records the outcome and drops everything staged. The server keeps the attempt until its worker's next one. */
    void end(AttemptOutcome how) {
        outcome = how;
        stage = null;
        own = List.of();
        forwarded = Map.of();
        waiting = Map.of();
        parity = Map.of();
    }

    /** Whether this iteration began before another one. Ties are broken by worker. */
    boolean isOlderThan(Attempt other) {
        long mine = stage.age();
        long its = other.stage.age();
        return mine != its ? mine < its : id.worker() < other.id.worker();
    }
}
