/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.CodeName;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The stripes of an RDD, with lengths and checksums of their units. Spark knows where units are. Immutable.
 *
 * <p>Spark reads all of it for each task, which wants one stripe. So they are numbers, and stripes are made of them on demand.
 */
final class StripeLayout implements Serializable {
    private static final long serialVersionUID = 1;

    private final Access access;

    /** The stripes, one after the other. */
    private final int[] stripes;

    /** By partition, where its stripe begins, or -1; null before somebody asks. */
    private transient volatile int[] begins;

    /** @param stripes all of them; a partition that is in none has no rows */
    StripeLayout(Access access, List<Stripe> stripes) {
        this.access = access;
        this.stripes = stripes.stream().flatMapToInt(Stripe::numbers).toArray();
    }

    Access access() {
        return access;
    }

    List<Stripe> stripes() {
        List<Stripe> all = new ArrayList<>();
        for (int begin = 0; begin < stripes.length; begin += Stripe.length(stripes, begin)) {
            all.add(Stripe.of(stripes, begin));
        }
        return List.copyOf(all);
    }

    /** Bytes of some units of all stripes. */
    long bytes(int from, int to) {
        return stripes().stream()
                .flatMap(stripe -> stripe.units().subList(from, to).stream())
                .mapToLong(StoredUnit::length)
                .sum();
    }

    /** The stored bytes divided by those of the data, such as 1.25; 1 if there is no data. */
    double overhead(CodeName code) {
        long data = bytes(0, code.k());
        return data == 0 ? 1 : (double) bytes(0, code.n()) / data;
    }

    /** The stripe of a partition; empty if it has no rows. */
    Optional<Stripe> stripeOf(int partition) {
        if (begins == null) {
            begins = begins();
        }
        return partition < begins.length && begins[partition] >= 0
                ? Optional.of(Stripe.of(stripes, begins[partition]))
                : Optional.empty();
    }

    private int[] begins() {
        int[] found = {};
        for (int begin = 0; begin < stripes.length; begin += Stripe.length(stripes, begin)) {
            for (int partition : Stripe.partitions(stripes, begin)) {
                if (partition >= found.length) {
                    int length = found.length;
                    found = Arrays.copyOf(found, Math.max(partition + 1, 2 * length));
                    Arrays.fill(found, length, found.length, -1);
                }
                found[partition] = begin;
            }
        }
        return found;
    }
}
