/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which attempts have staged updates of which rows of this server. Those of a row form a chain from the oldest to the youngest: each
 * update builds on the one before, and its attempt gets the server's vote only when that one is committed. An older attempt goes before
 * younger ones that have no vote: they are {@linkplain #withdraw withdrawn} and staged anew behind it. The worker of one that has the vote
 * is asked to give up, and the older one waits until it has committed or given up. So there are no deadlocks. With one phase there are no
 * chains.
 */
final class RowChains {
    private final ServerContext context;
    private final Attempts attempts;
    /** By table and slot of the row: the youngest attempt of its chain. */
    private final List<Attempt[]> youngest = new ArrayList<>();
    /** By row: the oldest of the attempts that wait for others, so that no younger one overtakes it. */
    private final Map<UnitId, Attempt> claims = new HashMap<>();

    private int chains;

    RowChains(ServerContext context, Attempts attempts) {
        this.context = context;
        this.attempts = attempts;
        for (var table : context.model.tables()) {
            long slots = context.isOnePhase() ? 0 : context.stripes.dataSlots(table.rows());
            youngest.add(new Attempt[Math.toIntExact(slots)]);
        }
    }

    UnitId id(int table, long row) {
        return new UnitId(table, context.stripes.stripe(row), context.stripes.unit(row));
    }

    private int slot(long row) {
        return (int) context.stripes.slot(context.stripes.stripe(row), context.stripes.unit(row));
    }

    /** Returns the youngest attempt of a row's chain, or null. */
    Attempt youngest(int table, long row) {
        return context.isOnePhase() ? null : youngest.get(table)[slot(row)];
    }

    /** Whether an attempt may join the chains of all its rows; if not, no younger one joins them before it. */
    boolean areOpenTo(Attempt attempt) {
        boolean open = true;
        for (RowGradients rows : rows(attempt)) {
            for (long row : rows.rows()) {
                open &= isOpenTo(attempt, rows.table(), row);
            }
        }
        if (!open) {
            rows(attempt).forEach(rows -> claim(attempt, rows));
        }
        return open;
    }

    /** Returns the rows of an attempt that are in chains. */
    private List<RowGradients> rows(Attempt attempt) {
        return context.isOnePhase() || attempt.stage() == null
                ? List.of()
                : attempt.stage().rows();
    }

    private boolean isOpenTo(Attempt attempt, int table, long row) {
        Attempt before = youngest(table, row);
        if (before == null && claims.isEmpty()) {
            return true;
        }
        UnitId id = id(table, row);
        if (claims.containsKey(id) && claims.get(id).isOlderThan(attempt)) {
            return false;
        }
        while (before != null && attempt.isOlderThan(before)) {
            if (before.progress() == Attempt.Progress.STAGED) {
                askToGiveUp(before);
                return false;
            }
            before = before.builtOn(id);
        }
        // What is expected is compared with what is committed.
        return before == null || !isExpected(attempt, table, row);
    }

    private static boolean isExpected(Attempt attempt, int table, long row) {
        for (ExpectedRow expected : attempt.stage().expected()) {
            if (expected.table() == table && expected.row() == row) {
                return true;
            }
        }
        return false;
    }

    private void askToGiveUp(Attempt attempt) {
        if (!attempt.isInTheWay()) {
            attempt.isWaitedFor();
            context.send(attempt.worker(), new Refused(attempt.id));
        }
    }

    private void claim(Attempt attempt, RowGradients rows) {
        for (long row : rows.rows()) {
            claims.merge(id(rows.table(), row), attempt, (one, other) -> other.isOlderThan(one) ? other : one);
        }
    }

    /** Withdraws younger attempts from the chains of an attempt's rows. */
    void makeRoom(Attempt attempt) {
        for (RowGradients rows : rows(attempt)) {
            for (long row : rows.rows()) {
                Attempt last = youngest(rows.table(), row);
                while (last != null && attempt.isOlderThan(last)) {
                    withdraw(last);
                    last = youngest(rows.table(), row);
                }
            }
        }
    }

    /** Adds an attempt to the chains of its rows. */
    void join(Attempt attempt) {
        for (RowGradients rows : rows(attempt)) {
            Attempt[] all = youngest.get(rows.table());
            for (long row : rows.rows()) {
                int slot = slot(row);
                if (all[slot] == null) {
                    chains++;
                } else {
                    attempt.buildOn(id(rows.table(), row), all[slot]);
                }
                all[slot] = attempt;
            }
        }
        dropClaims(attempt);
    }

    private void dropClaims(Attempt attempt) {
        if (claims.isEmpty()) {
            return;
        }
        for (RowGradients rows : rows(attempt)) {
            for (long row : rows.rows()) {
                claims.remove(id(rows.table(), row), attempt);
            }
        }
    }

    /** Takes an attempt that is not voted for, and those that build on it, out of their chains: they are staged anew. */
    private void withdraw(Attempt attempt) {
        withdrawThoseOn(attempt);
        leave(attempt);
        attempt.withdraw();
        context.changed();
    }

    /** Withdraws the attempts that build on one. */
    void withdrawThoseOn(Attempt attempt) {
        for (Attempt other : attempts.open()) {
            if (other.isBuiltOn(attempt)) {
                withdraw(other);
            }
        }
    }

    /** Takes an attempt out of its chains: the first of them, or the last. */
    void leave(Attempt attempt) {
        for (RowGradients rows : rows(attempt)) {
            Attempt[] all = youngest.get(rows.table());
            for (long row : rows.rows()) {
                int slot = slot(row);
                if (all[slot] == attempt) {
                    all[slot] = attempt.builtOn(id(rows.table(), row));
                    chains -= all[slot] == null ? 1 : 0;
                }
            }
        }
        dropClaims(attempt);
    }

    /** Whether no row has a staged update. */
    boolean areEmpty() {
        return chains == 0;
    }
}
