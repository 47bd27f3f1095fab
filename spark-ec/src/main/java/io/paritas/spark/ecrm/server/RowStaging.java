/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.server.Attempt.StagedRow;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The owner's part of attempts: with two phases, computes what is added to rows, on top of what other attempts add to
 * them; with one phase, updates them.
 */
final class RowStaging {
    /** Whether all rows of an attempt can be staged. */
    enum Verdict {
        READY,
        /** Other attempts go before, or some rows are missing, or with one phase in a closed range. */
        WAITS,
        /** A row is lost; the worker has been told. */
        LOST,
        /** A row is in a closed range. */
        CLOSED
    }

    private final ServerContext context;
    private final OnDemandRecovery recovery;
    private final RangeLocks rangeLocks;
    private final RowChains chains;

    RowStaging(ServerContext context, OnDemandRecovery recovery, RangeLocks rangeLocks, RowChains chains) {
        this.context = context;
        this.recovery = recovery;
        this.rangeLocks = rangeLocks;
        this.chains = chains;
    }

    /** Says whether the rows of an attempt can be staged, and has missing ones recovered. */
    Verdict check(Attempt attempt) {
        Verdict verdict = Verdict.READY;
        for (RowGradients rows : attempt.stage().rows()) {
            int table = rows.table();
            for (long row : rows.rows()) {
                long stripe = context.stripes.stripe(row);
                if (context.isLost(table, stripe)) {
                    context.lose(attempt.worker(), new Lost(attempt.id.sequence(), table, new long[] {stripe}));
                    return Verdict.LOST;
                }
                boolean closed = rangeLocks.isClosed(table, stripe);
                if (closed && !context.isOnePhase()) {
                    return Verdict.CLOSED;
                }
                boolean missing = context.isMissing(table, stripe);
                if (missing) {
                    recovery.want(table, stripe);
                }
                if (missing || closed) {
                    verdict = Verdict.WAITS;
                }
            }
        }
        return chains.areOpenTo(attempt) ? verdict : Verdict.WAITS;
    }

    /** Returns a row of an attempt that is not as its worker expects. */
    Optional<ExpectedRow> unexpected(Stage stage) {
        return stage.expected().stream().filter(row -> !isAsExpected(row)).findFirst();
    }

    private boolean isAsExpected(ExpectedRow row) {
        int[] words = context.shards
                .get(row.table())
                .newest(context.stripes.stripe(row.row()), context.stripes.unit(row.row()));
        boolean same = true;
        for (int i = 0; i < row.parameters().length; i++) {
            same &= words[1 + i] == Float.floatToRawIntBits(row.parameters()[i]);
        }
        return same;
    }

    /** Stages updates of the rows of an attempt, or applies them; returns what each parity server has to add. */
    Map<Integer, List<RowDifferences>> stage(Attempt attempt) {
        chains.makeRoom(attempt);
        Map<Integer, List<RowDifferences>> byParity = new LinkedHashMap<>();
        boolean differs = context.stripes.units() > context.stripes.k() || !context.isOnePhase();
        for (RowGradients rows : attempt.stage().rows()) {
            if (!differs) {
                update(rows);
                continue;
            }
            for (RowDifferences group : differences(rows)) {
                attempt.own.add(group);
                long stripe = context.stripes.stripe(group.rows()[0]);
                for (int parity = context.stripes.k(); parity < context.stripes.units(); parity++) {
                    byParity.computeIfAbsent(context.stripes.server(stripe, parity), none -> new ArrayList<>())
                            .add(group);
                }
            }
        }
        chains.join(attempt);
        return byParity;
    }

    /** Updates rows that have no parity. */
    private void update(RowGradients rows) {
        Shard shard = context.shards.get(rows.table());
        int width = context.model.tables().get(rows.table()).width();
        for (int i = 0; i < rows.rows().length; i++) {
            shard.touchRows(rows.rows(), i);
            long row = rows.rows()[i];
            shard.update(context.stripes.stripe(row), context.stripes.unit(row), rows.gradients(), i * width);
        }
    }

    /**
     * Returns the differences of rows; with one phase, applies them. Each group has the rows whose first parity is on
     * one server; their other parities are on its neighbours.
     */
    private List<RowDifferences> differences(RowGradients rows) {
        int width = context.model.tables().get(rows.table()).width();
        int words = context.model.tables().get(rows.table()).words();
        Shard shard = context.shards.get(rows.table());
        int[] places = new int[rows.rows().length];
        RowDifferences[] groups = groups(rows, words, places);
        int[] filled = new int[groups.length];
        for (int i = 0; i < places.length; i++) {
            shard.touchRows(rows.rows(), i);
            RowDifferences group = groups[places[i]];
            int at = filled[places[i]]++;
            long row = rows.rows()[i];
            long stripe = context.stripes.stripe(row);
            int unit = context.stripes.unit(row);
            Attempt before = chains.youngest(rows.table(), row);
            group.rows()[at] = row;
            if (before != null) {
                int[] staged = staged(before, chains.id(rows.table(), row));
                group.bases()[at] = staged[0];
                shard.difference(staged, rows.gradients(), i * width, group.words(), at * words);
            } else {
                group.bases()[at] = shard.version(stripe, unit, unit);
                if (context.isOnePhase()) {
                    shard.update(stripe, unit, rows.gradients(), i * width, group.words(), at * words);
                } else {
                    shard.difference(stripe, unit, rows.gradients(), i * width, group.words(), at * words);
                }
            }
        }
        List<RowDifferences> some = new ArrayList<>();
        for (RowDifferences group : groups) {
            if (group != null) {
                some.add(group);
            }
        }
        return some;
    }

    /**
     * Returns a row, its version and floats, with the updates of its chain up to an attempt. The attempt keeps the array, which nobody
     * changes: so an update takes as long in a long chain as in a short one.
     */
    private int[] staged(Attempt last, UnitId row) {
        StagedRow staged = find(last, row);
        if (staged.words == null) {
            Attempt before = last.builtOn(row);
            Shard shard = context.shards.get(row.table());
            int[] words = before == null
                    ? shard.newest(row.stripe(), row.unit())
                    : staged(before, row).clone();
            shard.add(words, staged.rows.words(), staged.rows.at(staged.index));
            staged.words = words;
        }
        return staged.words;
    }

    private StagedRow find(Attempt attempt, UnitId row) {
        if (attempt.rows.isEmpty()) {
            for (RowDifferences own : attempt.own) {
                for (int i = 0; i < own.count(); i++) {
                    attempt.rows.put(chains.id(own.table(), own.rows()[i]), new StagedRow(own, i));
                }
            }
        }
        StagedRow found = attempt.rows.get(row);
        if (found == null) {
            throw new IllegalStateException(
                    "an attempt in the chain of a row must have a difference of it, got none of " + row + " in "
                            + attempt.id);
        }
        return found;
    }

    /** Returns empty groups by server of the first parity, null where there is none; notes the group of each row. */
    private RowDifferences[] groups(RowGradients rows, int words, int[] places) {
        boolean parity = context.stripes.units() > context.stripes.k();
        int[] counts = new int[context.stripes.servers()];
        for (int i = 0; i < places.length; i++) {
            places[i] =
                    parity ? context.stripes.server(context.stripes.stripe(rows.rows()[i]), context.stripes.k()) : 0;
            counts[places[i]]++;
        }
        RowDifferences[] groups = new RowDifferences[counts.length];
        for (int server = 0; server < counts.length; server++) {
            int count = counts[server];
            groups[server] = count == 0
                    ? null
                    : new RowDifferences(
                            rows.table(), new long[count], new int[count], new int[Math.multiplyExact(count, words)]);
        }
        return groups;
    }

    /** Applies the staged differences of an attempt. */
    void apply(Attempt attempt) {
        for (RowDifferences rows : attempt.own) {
            Shard shard = context.shards.get(rows.table());
            for (int i = 0; i < rows.count(); i++) {
                shard.touchRows(rows.rows(), i);
                long row = rows.rows()[i];
                int unit = context.stripes.unit(row);
                shard.add(context.stripes.stripe(row), unit, unit, rows.words(), rows.at(i));
            }
        }
    }
}
