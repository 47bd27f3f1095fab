/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.spark.ecrm.placement.ReplicaPlacement;
import io.paritas.spark.ecrm.placement.StripePlacement;
import java.io.Serializable;
import java.util.List;

/**
 * What servers keep together: tables, erasure-coded, and blocks of a neural network, on two servers each.
 *
 * @param servers S, at least k + 1
 * @param k rows of a stripe: the parity takes 1/k of the memory of the rows
 * @param parity how it is made
 * @param tables by their number
 * @param blocks by their number
 */
public record ModelSpec(int servers, int k, Parity parity, List<TableSpec> tables, List<BlockSpec> blocks)
        implements Serializable {
    public ModelSpec {
        tables = List.copyOf(tables);
        blocks = List.copyOf(blocks);
        new StripePlacement(servers, k, 1);
    }

    public StripePlacement stripes() {
        return new StripePlacement(servers, k, 1);
    }

    public ReplicaPlacement replicas() {
        return new ReplicaPlacement(servers);
    }
}
