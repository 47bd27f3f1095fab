/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.lang.invoke.MethodHandles;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The widest vectors of this machine, for generated code. The only class of this package that imports the JDK's incubating
 * Vector API; it is not loaded on a JVM without it.
 */
final class WidestVector {
    /** Generated code refers to these two fields; see {@link VectorInstructions}. */
    static final VectorSpecies<Byte> SPECIES = ByteVector.SPECIES_PREFERRED;

    static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;

    private WidestVector() {}

    /** The lookup that generated code is defined with. */
    static MethodHandles.Lookup lookup() {
        return MethodHandles.lookup();
    }

    /** The width of a vector in bytes. */
    static int lanes() {
        return SPECIES.length();
    }
}
