/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which units there are, and what they are known by; not where they are, which Spark knows. Immutable. */
final class Layout implements Serializable {
    private static final long serialVersionUID = 1;

    private final Access access;
    private final List<Stripe> stripes;
    private final Map<Integer, Integer> stripeOf = new HashMap<>();

    /** @param stripes all; a partition that is in none has no rows */
    Layout(Access access, List<Stripe> stripes) {
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
