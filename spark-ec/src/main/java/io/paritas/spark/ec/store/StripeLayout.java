/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stripes of an RDD, with lengths and checksums of their units. Spark knows where units are. Immutable. */
final class StripeLayout implements Serializable {
    private static final long serialVersionUID = 1;

    private final Access access;
    private final List<Stripe> stripes;
    private final Map<Integer, Integer> stripeOf = new HashMap<>();

    /** @param stripes all of them; a partition that is in none has no rows */
    StripeLayout(Access access, List<Stripe> stripes) {
        this.access = access;
        this.stripes = List.copyOf(stripes);
        for (int stripe = 0; stripe < stripes.size(); stripe++) {
            for (int partition : stripes.get(stripe).partitions()) {
                stripeOf.put(partition, stripe);
            }
        }
    }

    Access access() {
        return access;
    }

    List<Stripe> stripes() {
        return stripes;
    }

    /** The stripe of a partition; empty if it has no rows. */
    Optional<Stripe> stripeOf(int partition) {
        return Optional.ofNullable(stripeOf.get(partition)).map(stripes::get);
    }
}
