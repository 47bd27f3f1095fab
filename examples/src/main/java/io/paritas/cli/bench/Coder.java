/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A coder that bench measures: a row of its table.
 *
 * @param name its name in the table, and for {@code --coders}
 * @param about description in a few words
 * @param missing returns why it cannot run here and what to do, or empty; may take a second
 * @param has returns whether it has a code of a shape, and can do an operation with it
 * @param lanes creates lanes for stripes
 */
record Coder(
        String name,
        String about,
        Supplier<Optional<String>> missing,
        BiPredicate<CodeParameters, Operation> has,
        Coder.Lanes lanes) {
    /** Whether there is something that it can do with a code. */
    boolean knows(CodeParameters code) {
        return Stream.of(Operation.values()).anyMatch(operation -> has.test(code, operation));
    }

    /** Creates a stripe and the coder's lane for it. */
    interface Lanes {
        Lane on(Shape shape) throws IOException;
    }
}
