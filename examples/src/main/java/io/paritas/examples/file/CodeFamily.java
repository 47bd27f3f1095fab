/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Which generator makes the parity. The numbers are stored in unit files, so they never change. */
enum CodeFamily {
    RS(1, Generators::hdfsCauchy),
    ISAL(2, Generators::isalVandermonde),
    XOR(3, CodeFamily::xor);

    private final int id;
    private final Function<CodeParameters, Matrix> generator;

    CodeFamily(int id, Function<CodeParameters, Matrix> generator) {
        this.id = id;
        this.generator = generator;
    }

    static Optional<CodeFamily> withId(int id) {
        return Arrays.stream(values()).filter(family -> family.id == id).findFirst();
    }

    static Optional<CodeFamily> named(String name) {
        return Arrays.stream(values())
                .filter(family -> family.toString().equals(name))
                .findFirst();
    }

    private static Matrix xor(CodeParameters parameters) {
        if (parameters.r() != 1) {
            throw new IllegalArgumentException("An xor code has one parity unit; got " + parameters.r());
        }
        return Generators.xor(parameters.k());
    }

    /** The number that unit files store. */
    int id() {
        return id;
    }

    /**
     * The generator of this family for a shape.
     *
     * @throws IllegalArgumentException if the family has no code of this shape
     */
    Matrix generator(CodeParameters parameters) {
        return generator.apply(parameters);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
