/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.io.Serializable;
import java.util.Locale;

/**
 * What an instance runs.
 *
 * @param kind of model
 * @param number of the parity model, from 0 on; 0 for the others
 */
public record Role(Kind kind, int number) implements Serializable, Comparable<Role> {
    /** The model whose predictions are wanted. */
    public static final Role DEPLOYED = new Role(Kind.DEPLOYED, 0);

    /** A cheaper model. */
    public static final Role BACKUP = new Role(Kind.BACKUP, 0);

    /** Kinds of models. */
    public enum Kind {
        DEPLOYED,
        PARITY,
        BACKUP
    }

    /** One of the parity models. */
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
