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
    public ModelSpec {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
        new StripePlacement(servers, redundancy.k(), redundancy.parities());
        new ReplicaPlacement(servers, redundancy.copies());
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
