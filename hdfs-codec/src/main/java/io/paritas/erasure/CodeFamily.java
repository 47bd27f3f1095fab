/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Which generator makes the parity. The numbers are stored in unit files, so they never change. */
public enum CodeFamily {
    RS(1, mds(Generators::hdfsCauchy)),
    ISAL(2, mds(Generators::isalVandermonde)),
    XOR(3, mds(CodeFamily::xor)),
    PARITAS(4, mds(Generators::paritas)),
    LRC(5, CodeFamily::lrc);

    /** A generator by the code's shape and its number of local groups; 0 means that it has none. */
    private interface Construction {
        Matrix of(CodeParameters parameters, int localGroups);
    }

    private final int id;
    private final Construction construction;

    CodeFamily(int id, Construction construction) {
        this.id = id;
        this.construction = construction;
    }

    private static Construction mds(Function<CodeParameters, Matrix> generator) {
        return (parameters, localGroups) -> {
            if (localGroups != 0) {
                throw new IllegalArgumentException("Only lrc has local groups; got " + localGroups);
            }
            return generator.apply(parameters);
        };
    }

    /** The family that unit files store as this number. */
    public static Optional<CodeFamily> withId(int id) {
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

    private static Matrix lrc(CodeParameters parameters, int localGroups) {
        return Generators.lrc(new LrcParameters(parameters.k(), parameters.r() - localGroups, localGroups));
    }

    /** The number that unit files store. */
    public int id() {
        return id;
    }

    /**
     * The generator of this family for a shape.
     *
     * @param parameters all parity units count, the local ones too
     * @param localGroups how many of them belong to local groups
     * @throws IllegalArgumentException if the family has no code of this shape
     */
    Matrix generator(CodeParameters parameters, int localGroups) {
        return construction.of(parameters, localGroups);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
