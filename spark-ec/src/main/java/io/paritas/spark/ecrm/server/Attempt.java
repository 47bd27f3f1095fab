/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Repetition;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.UnitId;
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
        /** Some rows are missing or in a closed range, or other attempts go before. */
        WAITS_FOR_ROWS,
        /** Some parity servers have not staged their differences, or an attempt that it builds on is not over. */
        WAITS_FOR_PARITY,
        /** The server has voted to commit. */
        STAGED
    }

    /** One row of some differences. */
    record Place(RowDifferences rows, int index) {
        int table() {
            return rows.table();
        }

        long row() {
            return rows.rows()[index];
        }

        int base() {
            return rows.bases()[index];
        }
    }

    /** A row of this server that an attempt updates. */
    static final class StagedRow {
        /** Has the row's difference, at the index. */
        final RowDifferences rows;

        final int index;
        /** The row's version and floats with the updates of its chain up to this one; null until another attempt builds on it. */
        int[] words;

        StagedRow(RowDifferences rows, int index) {
            this.rows = rows;
            this.index = index;
        }
    }

    final TxId id;
    final long since;
    private Progress progress = Progress.NONE;
    private Stage stage;
    private int[] servers = {};
    /** Differences of the rows that this server owns. */
    List<RowDifferences> own = new ArrayList<>();
    /** The rows of {@link #own}, for other attempts that build on them; empty before there is one. */
    Map<UnitId, StagedRow> rows = new HashMap<>();
    /** By parity server: differences that it has not acknowledged yet. */
    Map<Address, StageParity> forwarded = new LinkedHashMap<>();
    /** By owner: differences that arrived but are not staged yet. */
    Map<Address, StageParity> waiting = new LinkedHashMap<>();
    /** By owner whose differences wait: the row whose parity here lacks the most updates, if some lack any. */
    Map<Address, Place> behind = new HashMap<>();
    /** By owner: differences that are staged for parities of this server. */
    Map<Address, StageParity> parity = new HashMap<>();

    /** By row with a staged update of another attempt: that attempt, on whose update this one's builds. */
    private Map<UnitId, Attempt> builtOn = new HashMap<>();
    /** How often this server has computed the differences anew. */
    private int round;
    /** Whether an older attempt waits for this one to end. */
    private boolean inTheWay;

    private AttemptOutcome outcome;
    private boolean asked;
    /** When the worker or the driver was last told what it should know. */
    long repeated;
    /** When differences were last sent to parity servers, and how long to wait before they are sent again. */
    private long sent;

    private long patience;

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

    /** Records that the differences of {@link #forwarded} are sent. */
    void forwarded(Timing timing, long now) {
        long words = forwarded.values().stream()
                .flatMap(message -> message.differences().stream())
                .mapToLong(rows -> rows.words().length)
                .sum();
        sent = now;
        patience = Repetition.inLease(timing, Repetition.first(timing, Integer.BYTES * words));
    }

    /** Whether to send differences again that parity servers have not acknowledged; then records that they are sent. */
    boolean repeatsForwarded(Timing timing, long now) {
        if (forwarded.isEmpty() || now - sent < patience) {
            return false;
        }
        sent = now;
        patience = Repetition.inLease(timing, Repetition.next(timing, patience));
        return true;
    }

    void staged() {
        progress = Progress.STAGED;
    }

    /** Drops what this server has staged of its rows, to stage it anew. */
    void withdraw() {
        progress = Progress.WAITS_FOR_ROWS;
        own = new ArrayList<>();
        rows = new HashMap<>();
        forwarded = new LinkedHashMap<>();
        builtOn = new HashMap<>();
        round++;
    }

    /** Returns how often this server has computed the differences anew. */
    int round() {
        return round;
    }

    /** Records that the update of a row builds on that of another attempt. */
    void buildOn(UnitId row, Attempt before) {
        builtOn.put(row, before);
    }

    /** Returns the attempt without an outcome on whose update that of a row builds, or null. */
    Attempt builtOn(UnitId row) {
        Attempt before = builtOn.get(row);
        return before == null || before.isOver() ? null : before;
    }

    /** Whether the update of a row builds on that of another attempt. */
    boolean isBuiltOn(Attempt other) {
        return builtOn.containsValue(other);
    }

    /** Whether this attempt builds on others without an outcome. */
    boolean waitsForOlder() {
        return !builtOn.isEmpty() && builtOn.values().stream().anyMatch(before -> !before.isOver());
    }

    /** Records that an older attempt waits for this one to end. */
    void isWaitedFor() {
        inTheWay = true;
    }

    boolean isInTheWay() {
        return inTheWay;
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

    /**
     * Records the outcome and drops everything staged, with its tables: the server keeps the attempt until its worker's next one, which may
     * never come.
     */
    void end(AttemptOutcome how) {
        outcome = how;
        stage = null;
        own = List.of();
        rows = Map.of();
        forwarded = Map.of();
        waiting = Map.of();
        behind = Map.of();
        parity = Map.of();
        builtOn = Map.of();
    }

    /** Whether this iteration began before another one. Ties are broken by worker. */
    boolean isOlderThan(Attempt other) {
        long mine = stage.age();
        long its = other.stage.age();
        return mine != its ? mine < its : id.worker() < other.id.worker();
    }
}
