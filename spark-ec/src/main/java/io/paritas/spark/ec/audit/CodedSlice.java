/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.audit;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.kernel.Regions;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The same bytes of units that were read and of units that were made from them. The arrays are not copied.
 *
 * @param code name of the code
 * @param sources numbers of the units that were read
 * @param made numbers of the units that were made
 * @param read bytes of the sources, equally many of each
 * @param result bytes of the units that were made
 */
public record CodedSlice(String code, List<Integer> sources, List<Integer> made, byte[][] read, byte[][] result) {

    /** Copies the lists. */
    public CodedSlice {
        sources = List.copyOf(sources);
        made = List.copyOf(made);
    }

    /**
     * Makes the units again.
     *
     * @return their bytes, in the order of {@link #made}
     * @throws IllegalArgumentException if the code is not known, or cannot make these units from those
     */
    public static byte[][] make(String code, List<Integer> sources, List<Integer> made, byte[][] read) {
        CodeName name = CodeName.parse(code);
        int[] missing = IntStream.range(0, name.n())
                .filter(unit -> !sources.contains(unit))
                .toArray();
        int[] wanted = made.stream().mapToInt(Integer::intValue).toArray();
        var plan = name.erasureCode().repairPlan(Erasures.of(missing), Erasures.of(wanted));
        byte[][] inputs = IntStream.of(plan.sources())
                .mapToObj(unit -> read[sources.indexOf(unit)])
                .toArray(byte[][]::new);
        byte[][] outputs = new byte[wanted.length][inputs[0].length];
        plan.apply(Regions.of(inputs), Regions.of(outputs));
        return outputs;
    }
}
