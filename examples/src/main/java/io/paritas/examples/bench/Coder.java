/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Something that bench measures: a row of its table.
 *
 * @param name its name in the table, and for {@code --coders}
 * @param about what it is, in a few words
 * @param missing why it cannot run here and what to do about it, or empty; may take a second to find out
 * @param has whether it has codes of that shape
 * @param lanes puts it to work on a stripe
 */
record Coder(
        String name,
        String about,
        Supplier<Optional<String>> missing,
        Predicate<CodeParameters> has,
        Coder.Lanes lanes) {
    /** Makes a stripe and the coder for it. */
    interface Lanes {
        Lane on(Shape shape) throws IOException;
    }
}
