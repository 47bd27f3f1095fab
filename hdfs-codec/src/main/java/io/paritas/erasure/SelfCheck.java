/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.Random;

/**
 * Compares a code's kernel with the arithmetic of its generator on a stripe of a few hundred bytes, so that a JVM or machine
 * that computes wrong bytes is found before any are stored. Loops, because streams would cost a short-lived JVM more than that.
 */
final class SelfCheck {
    /** Five 512-bit vectors and a tail: every path of every kernel. */
    private static final int LENGTH = 5 * 64 + 7;

    private SelfCheck() {}

    static void run(ErasureCode code) {
        CodeParameters parameters = code.parameters();
        byte[][] data = new byte[parameters.k()][LENGTH];
        Random random = new Random(parameters.n());
        for (byte[] unit : data) {
            random.nextBytes(unit);
        }
        byte[][] parity = new byte[parameters.r()][LENGTH];
        code.encode(data, parity);
        if (!Arrays.deepEquals(parity, code.generator().times(data))) {
            throw new IllegalStateException("self-check failed: " + code + " encodes wrong bytes on this machine");
        }
        checkDecode(code, data, parity);
    }

    private static void checkDecode(ErasureCode code, byte[][] data, byte[][] parity) {
        byte[][] units = new byte[code.parameters().n()][];
        for (int unit = 0; unit < units.length; unit++) {
            units[unit] = unit < data.length ? data[unit].clone() : parity[unit - data.length].clone();
        }
        Erasures missing = dataToLose(code);
        for (int unit : missing.toArray()) {
            Arrays.fill(units[unit], (byte) 0);
        }
        code.reconstruct(units, missing);
        if (!Arrays.deepEquals(Arrays.copyOf(units, data.length), data)) {
            throw new IllegalStateException("self-check failed: " + code + " decodes wrong bytes on this machine");
        }
    }

    /** As many data units as the code can reconstruct at once, the first ones. */
    private static Erasures dataToLose(ErasureCode code) {
        int most = Math.min(code.parameters().k(), code.parameters().r());
        int[] units = new int[most];
        for (int unit = 0; unit < most; unit++) {
            units[unit] = unit;
        }
        Erasures first = Erasures.of(units);
        return code.canReconstruct(first) ? first : dataToLoseOneByOne(code);
    }

    /** For a code that depends on which units are lost. */
    private static Erasures dataToLoseOneByOne(ErasureCode code) {
        Erasures missing = Erasures.none();
        for (int unit = 0; unit < code.parameters().k(); unit++) {
            Erasures more = missing.union(Erasures.of(unit));
            missing = code.canReconstruct(more) ? more : missing;
        }
        return missing;
    }
}
