/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import java.util.Arrays;
import java.util.Random;

/** Encodes six data units into three parity units, loses three of the nine, and reconstructs them. */
public final class ErasureCodeRoundTrip {
    private ErasureCodeRoundTrip() {}

    public static void main(String[] arguments) {
        ErasureCode code = ErasureCode.hdfsRs(new CodeParameters(6, 3));
        byte[][] units = new byte[9][1 << 20];
        Random random = new Random(1);
        for (int i = 0; i < 6; i++) {
            random.nextBytes(units[i]);
        }
        code.encode(Arrays.copyOf(units, 6), Arrays.copyOfRange(units, 6, 9));

        byte[][] lossy = units.clone();
        for (int lost : new int[] {0, 4, 7}) {
            lossy[lost] = new byte[1 << 20];
        }
        code.reconstruct(lossy, Erasures.of(0, 4, 7));

        System.out.println("consistent: " + code.verify(lossy));
        System.out.println("reconstructed: " + Arrays.deepEquals(lossy, units));
    }
}
