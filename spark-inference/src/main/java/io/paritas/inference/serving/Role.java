/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.Locale;

/**
 * The model that an instance runs.
 *
 * @param kind of model
 * @param number of the parity model, from 0; 0 for other models
 */
@PublicApi
public record Role(Kind kind, int number) implements Serializable, Comparable<Role> {
    /** The deployed model. */
    public static final Role DEPLOYED = new Role(Kind.DEPLOYED, 0);

    /** The backup model. */
    public static final Role BACKUP = new Role(Kind.BACKUP, 0);

    /** Kinds of models. */
    public enum Kind {
        /** The model whose predictions are wanted. */
        DEPLOYED,
        /** A model that predicts combinations of predictions. */
        PARITY,
        /** A cheaper model for the same predictions. */
        BACKUP
    }

    /** The parity model of that number, from 0. */
    public static Role parity(int number) {
        return new Role(Kind.PARITY, number);
    }

    @Override
    public int compareTo(Role other) {
        int byKind = kind.compareTo(other.kind);
        return byKind == 0 ? Integer.compare(number, other.number) : byKind;
    }

    /** {@code deployed}, {@code parity-0} or {@code backup}. */
    @Override
    public String toString() {
        String name = kind.name().toLowerCase(Locale.ROOT);
        return kind == Kind.PARITY ? name + "-" + number : name;
    }
}
