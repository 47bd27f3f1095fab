/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.TensorSpec;
import java.io.Serializable;
import java.util.regex.Pattern;

/**
 * A served version of a model.
 *
 * @param name letters, digits and {@code . _ -}, at most 64
 * @param version likewise
 * @param input of one row
 * @param output of one row
 * @param policy against slow and lost instances
 * @param limits of its front end
 */
@PublicApi
public record ServedModel(
        String name, String version, TensorSpec input, TensorSpec output, Policy policy, Limits limits)
        implements Serializable {

    private static final long serialVersionUID = 1;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** Checks the names. */
    public ServedModel {
        requireName("name", name);
        requireName("version", version);
    }

    /** The same for instances, which need no networks of front ends. */
    public ServedModel forInstances() {
        return new ServedModel(name, version, input, output, policy.forInstances(), limits);
    }

    private static void requireName(String what, String text) {
        if (!NAME.matcher(text).matches()) {
            throw new IllegalArgumentException("the " + what
                    + " of a served model must be 1 to 64 letters, digits, dots, underscores and hyphens, got '" + text
                    + "'");
        }
    }

    /**
     * Refuses more queries at once than may wait for an instance: it would not help to ask again.
     *
     * @throws IllegalArgumentException if there are more
     */
    public void requireAtOnce(int queries) {
        if (queries > limits.waiting()) {
            throw new IllegalArgumentException("the queries that are asked of the model " + this
                    + " at once must be at most " + limits.waiting() + ", as many as may wait for an instance, got "
                    + queries + ": ask for fewer at once");
        }
    }

    /** For example {@code digits, version 2}. */
    @Override
    public String toString() {
        return name + ", version " + version;
    }
}
