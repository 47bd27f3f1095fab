/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.RowDifferences;
import java.util.ArrayList;
import java.util.List;

/** Which attempt has locked which row of this server. With one phase no row is ever locked. */
final class RowLocks {
    private final ServerContext context;
    /** By table and slot of the row. */
    private final List<Attempt[]> holders = new ArrayList<>();

    private int locked;

    RowLocks(ServerContext context) {
        this.context = context;
        for (var table : context.model.tables()) {
            long slots = context.isOnePhase() ? 0 : context.stripes.dataSlots(table.rows());
            holders.add(new Attempt[Math.toIntExact(slots)]);
        }
    }

    /** Returns the attempt that has locked a row, or null. */
    Attempt holder(int table, long row) {
        return context.isOnePhase() ? null : holders.get(table)[slot(row)];
    }

    void lock(int table, long row, Attempt attempt) {
        Attempt[] all = holders.get(table);
        int slot = slot(row);
        if (all[slot] == null) {
            locked++;
        }
        all[slot] = attempt;
    }

    /** Unlocks rows, except those that the attempt has not locked. */
    void unlock(RowDifferences rows, Attempt attempt) {
        Attempt[] all = holders.get(rows.table());
        for (long row : rows.rows()) {
            int slot = slot(row);
            if (all[slot] == attempt) {
                all[slot] = null;
                locked--;
            }
        }
    }

    private int slot(long row) {
        return (int) context.stripes.slot(context.stripes.stripe(row), context.stripes.unit(row));
    }

    boolean isEmpty() {
        return locked == 0;
    }
}
