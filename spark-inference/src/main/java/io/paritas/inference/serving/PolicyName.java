/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How settings and command lines call what is done against slow and lost instances, and how many instances that takes. */
public enum PolicyName {
    /** {@link Policy.Coded}. */
    CODED,
    /** {@link Policy.Uncoded}. */
    NONE,
    /** The same, with more instances: as many as with parity models. */
    EQUAL,
    /** {@link Policy.Replicated}, with as many instances. */
    REPLICATED,
    /** {@link Policy.Hedged}, with as many instances. */
    HEDGED,
    /** {@link Policy.Backup}. */
    BACKUP;

    /** The name in lower case, such as {@code coded}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The policy of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static PolicyName of(String label) {
        List<String> labels = Arrays.stream(values()).map(PolicyName::label).toList();
        if (!labels.contains(label)) {
            throw new IllegalArgumentException(
                    "a policy of serving must be one of " + labels + ", got '" + label + "'");
        }
        return values()[labels.indexOf(label)];
    }

    /** Instances of the deployed model, where m have to bear the load and a coding group has k queries. */
    public int deployed(int m, int k) {
        return switch (this) {
            case CODED, NONE, BACKUP -> m;
            case EQUAL, REPLICATED, HEDGED -> m + others(m, k);
        };
    }

    /** Instances of each parity model, or of the backup model: m / k, rounded up. */
    public static int others(int m, int k) {
        return (m + k - 1) / k;
    }

    /** Instances of all models together; r is the number of parity models. */
    public int slots(int m, int k, int r) {
        return deployed(m, k)
                + switch (this) {
                    case CODED -> r * others(m, k);
                    case BACKUP -> others(m, k);
                    case NONE, EQUAL, REPLICATED, HEDGED -> 0;
                };
    }
}
