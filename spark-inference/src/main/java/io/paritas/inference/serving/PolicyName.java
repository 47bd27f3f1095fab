/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The names of policies in settings and command lines, and the number of instances that each takes. */
@PublicApi
public enum PolicyName {
    /** {@link Policy.Coded}. */
    CODED,
    /** {@link Policy.Uncoded}. */
    NONE,
    /** {@link Policy.Uncoded}, with as many instances as {@link #CODED} has altogether. */
    EQUAL,
    /** {@link Policy.Replicated}, with as many instances. */
    REPLICATED,
    /** {@link Policy.Hedged}, with as many instances. */
    HEDGED,
    /** {@link Policy.Backup}. */
    BACKUP,
    /** {@link Policy.Auto}, with as many instances. */
    AUTO;

    /** The name in lower case, such as {@code coded}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The policy of a name; case does not matter, as in the setting.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static PolicyName of(String label) {
        List<String> labels = Arrays.stream(values()).map(PolicyName::label).toList();
        int place = labels.indexOf(label.toLowerCase(Locale.ROOT));
        if (place < 0) {
            throw new IllegalArgumentException("the policy must be one of " + labels + ", got '" + label + "'");
        }
        return values()[place];
    }

    /** The number of instances of the deployed model, where m bear the load and a coding group has k queries. */
    public int deployed(int m, int k) {
        return switch (this) {
            case CODED, NONE, BACKUP -> m;
            case EQUAL, REPLICATED, HEDGED, AUTO -> m + others(m, k);
        };
    }

    /** The number of instances of each parity model, or of the backup model: m / k, rounded up. */
    public static int others(int m, int k) {
        return (m + k - 1) / k;
    }

    /** The number of instances of all models, with r parity models. */
    public int slots(int m, int k, int r) {
        return deployed(m, k)
                + switch (this) {
                    case CODED -> r * others(m, k);
                    case BACKUP -> others(m, k);
                    case NONE, EQUAL, REPLICATED, HEDGED, AUTO -> 0;
                };
    }
}
