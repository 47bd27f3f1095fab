/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** A family of codes: the construction of the generator. Unit files store its number, so the numbers never change. */
@PublicApi
public enum CodeFamily {
    /** Reed-Solomon with HDFS's Cauchy matrix: {@link Generators#hdfsCauchy}. */
    RS(1, mds(Generators::hdfsCauchy)),
    /** Reed-Solomon with ISA-L's Vandermonde matrix: {@link Generators#isalVandermonde}. */
    ISAL(2, mds(Generators::isalVandermonde)),
    /** One parity unit, the xor of the data: {@link Generators#xor}. */
    XOR(3, mds(CodeFamily::xor)),
    /** Paritas's own MDS codes: {@link Generators#paritas}. */
    PARITAS(4, mds(Generators::paritas)),
    /** Local reconstruction codes: {@link Generators#lrc}. */
    LRC(5, CodeFamily::lrc),
    /** Cauchy codes on strips, for files only: {@link StripCode}. */
    STRIP(6, StripCode::cauchy);

    /** Makes a generator from the shape of a code and its {@linkplain CodeName#detail detail}. */
    private interface Construction {
        Matrix of(CodeParameters parameters, int detail);
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
                throw new IllegalArgumentException("only lrc has local groups, got " + localGroups);
            }
            return generator.apply(parameters);
        };
    }

    /** Returns the family that unit files store as this number; empty if there is none. */
    public static Optional<CodeFamily> withId(int id) {
        return Arrays.stream(values()).filter(family -> family.id == id).findFirst();
    }

    static Optional<CodeFamily> named(String name) {
        return Arrays.stream(values())
                .filter(family -> family.toString().equalsIgnoreCase(name))
                .findFirst();
    }

    private static Matrix xor(CodeParameters parameters) {
        if (parameters.r() != 1) {
            throw new IllegalArgumentException("an xor code has one parity unit, got " + parameters.r());
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
     * @param detail as in {@link CodeName#detail}
     * @throws IllegalArgumentException if the family has no code of this shape
     */
    Matrix generator(CodeParameters parameters, int detail) {
        return construction.of(parameters, detail);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
