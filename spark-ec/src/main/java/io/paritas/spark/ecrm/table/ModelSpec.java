/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import java.io.Serializable;
import java.util.List;

/**
 * A model that parameter servers keep: embedding tables, and blocks of a neural network.
 *
 * @param servers number of servers, at least one for each unit of a stripe and each replica of a block
 * @param redundancy how the model survives the loss of a server
 * @param tables by number
 * @param blocks by number
 */
@PublicApi
public record ModelSpec(int servers, Redundancy redundancy, List<TableSpec> tables, List<BlockSpec> blocks)
        implements Serializable {
    /** An index of an array is an int. */
    private static final long MOST_UNITS = Integer.MAX_VALUE - 8;
    /** So is the length of a message in bytes. */
    private static final int MOST_WORDS = (Integer.MAX_VALUE - 4096) / Float.BYTES;

    public ModelSpec {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
        StripePlacement stripes = new StripePlacement(servers, redundancy.k(), redundancy.parities());
        new ReplicaPlacement(servers, redundancy.copies());
        for (BlockSpec block : blocks) {
            // The size first: an int counts the numbers of such a block, which are three for each parameter at most.
            if (block.size() > MOST_WORDS || block.words() > MOST_WORDS) {
                throw new IllegalArgumentException("a block must have at most " + MOST_WORDS
                        + " numbers, with its optimizer's state, got " + block.size()
                        + " parameters: divide it into several");
            }
        }
        for (TableSpec table : tables) {
            if (table.rows() / servers >= MOST_UNITS
                    || stripes.dataSlots(table.rows()) > MOST_UNITS
                    || stripes.paritySlots(table.rows()) > MOST_UNITS) {
                throw new IllegalArgumentException("a server must have at most " + MOST_UNITS
                        + " rows and as many parities of a table, got a table of " + table.rows() + " rows on "
                        + servers
                        + " servers: use more servers");
            }
        }
    }

    /** Returns which server keeps which unit of a table. */
    public StripePlacement stripes() {
        return new StripePlacement(servers, redundancy.k(), redundancy.parities());
    }

    /** Returns which servers keep which block. */
    public ReplicaPlacement replicas() {
        return new ReplicaPlacement(servers, redundancy.copies());
    }
}
