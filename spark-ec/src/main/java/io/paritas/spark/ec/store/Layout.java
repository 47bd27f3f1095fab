/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;

/**
 * Which units there are, and what they are known by; not where they are, which Spark knows. To Spark, units are the cached
 * blocks of two RDDs, one for the data and one for the parity: so it moves them when an executor is decommissioned, and drops
 * them when they are unpersisted. Immutable.
 */
final class Layout implements Serializable {
    private static final long serialVersionUID = 1;

    private final String code;
    private final int data;
    private final int parity;
    private final List<Stripe> stripes;
    private final Map<Integer, Integer> stripeOf = new HashMap<>();

    /**
     * @param code the code's name
     * @param data id of the RDD whose partitions the data units are
     * @param parity id of the RDD whose blocks the parity units are
     * @param stripes all; a partition that is in none has no rows
     */
    Layout(CodeName code, int data, int parity, List<Stripe> stripes) {
        this.code = code.toString();
        this.data = data;
        this.parity = parity;
        this.stripes = List.copyOf(stripes);
        for (int stripe = 0; stripe < stripes.size(); stripe++) {
            for (int partition : stripes.get(stripe).partitions()) {
                stripeOf.put(partition, stripe);
            }
        }
    }

    /** The code, on this JVM's kernel. */
    ErasureCode code() {
        return CodeName.parse(code).erasureCode();
    }

    List<Stripe> stripes() {
        return stripes;
    }

    /** The stripe of a partition; empty if it has no rows. */
    Optional<Stripe> stripeOf(int partition) {
        return Optional.ofNullable(stripeOf.get(partition)).map(stripes::get);
    }

    BlockId block(Stripe stripe, int unit) {
        return unit < stripe.k()
                ? new RDDBlockId(data, stripe.partitions().get(unit))
                : new RDDBlockId(parity, stripe.firstParity() + unit - stripe.k());
    }

    BlockId[] blocks(Stripe stripe, int... units) {
        return Arrays.stream(units).mapToObj(unit -> block(stripe, unit)).toArray(BlockId[]::new);
    }
}
