/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import java.io.Serializable;
import java.util.List;

/**
 * What servers keep together: tables, and blocks of a neural network.
 *
 * @param servers S, at least k + 1
 * @param redundancy what protects it from the loss of a server
 * @param tables by their number
 * @param blocks by their number
 */
public record ModelSpec(int servers, Redundancy redundancy, List<TableSpec> tables, List<BlockSpec> blocks)
        implements Serializable {
    public ModelSpec {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
        new StripePlacement(servers, redundancy.k(), redundancy.parities());
        new ReplicaPlacement(servers, redundancy.copies());
    }

    public StripePlacement stripes() {
        return new StripePlacement(servers, redundancy.k(), redundancy.parities());
    }

    public ReplicaPlacement replicas() {
        return new ReplicaPlacement(servers, redundancy.copies());
    }
}
