/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.Role;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The processes that stand by with all models of a version loaded, and the lost instances that nobody stands in for. A rule without a
 * socket: {@link Registry} acts on it. Not thread-safe.
 *
 * @param <C> a connection of a spare
 */
final class Spares<C> {
    private final Map<C, Map<Role, Offer<C>>> spares = new LinkedHashMap<>();
    private final Map<String, Wire.Registration> vacant = new LinkedHashMap<>();
    private final Set<String> expected = new HashSet<>();

    /** What a spare offers: to answer for an instance of that role, over a connection of its own. */
    record Offer<C>(Wire.Registration at, C link) {}

    /** A spare that stands in for a lost instance from now on. */
    record StandIn<C>(C spare, Offer<C> offer, Wire.Registration at) {}

    /** From now on, others stand in for an instance while it is lost. */
    void expect(String instance) {
        expected.add(instance);
    }

    /** An instance ends, and is not missed. */
    void dismiss(String instance) {
        expected.remove(instance);
        vacant.remove(instance);
    }

    /** A spare offers to answer for a role, too. */
    void offered(C spare, Offer<C> offer) {
        spares.computeIfAbsent(spare, first -> new HashMap<>()).put(offer.at.role(), offer);
    }

    /** A spare is lost; returns what it had offered. */
    Map<Role, Offer<C>> lost(C spare) {
        Map<Role, Offer<C>> offers = spares.remove(spare);
        return offers == null ? Map.of() : offers;
    }

    /** An instance is lost. */
    void lost(Wire.Registration instance) {
        if (expected.contains(instance.instance())) {
            vacant.put(instance.instance(), instance);
        }
    }

    /** An instance is back. */
    void back(String instance) {
        vacant.remove(instance);
    }

    /**
     * The next spare that stands in for a lost instance, whose place is not vacant any more then; empty if there is none.
     *
     * @param busy spares that stand in for others
     */
    Optional<StandIn<C>> next(Set<C> busy) {
        for (Wire.Registration lost : vacant.values()) {
            for (Map.Entry<C, Map<Role, Offer<C>>> spare : spares.entrySet()) {
                Offer<C> offer = spare.getValue().get(lost.role());
                if (offer != null && offer.at.serves(lost) && !busy.contains(spare.getKey())) {
                    vacant.remove(lost.instance());
                    return Optional.of(new StandIn<>(spare.getKey(), offer, offer.at.as(lost.instance())));
                }
            }
        }
        return Optional.empty();
    }
}
