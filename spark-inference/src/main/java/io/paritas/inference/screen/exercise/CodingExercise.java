/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.GaloisField;
import io.paritas.erasure.kernel.CodingFaultException;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Encodes and decodes with HDFS's RS(6,3) code, on the kernel that codes run on here: vectors, GFNI. The right parity is
 * computed byte by byte from the field's tables.
 */
final class CodingExercise implements Exercise {
    static final String NAME = "erasure coding";
    static final int LENGTH = 16 << 10;
    private static final CodeParameters SHAPE = new CodeParameters(6, 3);
    private static final Erasures LOST = Erasures.of(0, 2, 5);

    private final ErasureCode code;
    private final byte[][][] data = new byte[PATTERNS][SHAPE.k()][];
    private final byte[][][] parity = new byte[PATTERNS][SHAPE.r()][LENGTH];

    CodingExercise() {
        this(ErasureCode.hdfsRs(SHAPE));
    }

    CodingExercise(ErasureCode code) {
        this.code = code;
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            for (int unit = 0; unit < SHAPE.k(); unit++) {
                data[pattern][unit] = Patterns.bytes(pattern, unit, LENGTH);
            }
            encodeSlowly(data[pattern], parity[pattern]);
        }
    }

    private static void encodeSlowly(byte[][] data, byte[][] parity) {
        int[][] rows = ErasureCode.hdfsRs(SHAPE).generator().toRows();
        GaloisField field = GaloisField.bytes();
        for (int row = 0; row < parity.length; row++) {
            for (int i = 0; i < LENGTH; i++) {
                int sum = 0;
                for (int unit = 0; unit < data.length; unit++) {
                    sum ^= field.multiply(rows[row][unit], data[unit][i] & 0xff);
                }
                parity[row][i] = (byte) sum;
            }
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void run(int pattern, Consumer<WrongResult> wrong) {
        try {
            encode(pattern, wrong);
            decode(pattern, wrong);
        } catch (CodingFaultException e) { // the kernel's own check was first
            wrong.accept(new WrongResult(NAME, pattern, -1, Byte.SIZE, 0, 0));
        }
    }

    private void encode(int pattern, Consumer<WrongResult> wrong) {
        byte[][] result = new byte[SHAPE.r()][LENGTH];
        code.encode(data[pattern], result);
        for (int row = 0; row < result.length; row++) {
            Patterns.compare(NAME, pattern, parity[pattern][row], result[row], wrong);
        }
    }

    private void decode(int pattern, Consumer<WrongResult> wrong) {
        byte[][] units = new byte[SHAPE.n()][];
        for (int unit = 0; unit < units.length; unit++) {
            boolean isData = unit < SHAPE.k();
            byte[] right = isData ? data[pattern][unit] : parity[pattern][unit - SHAPE.k()];
            units[unit] = LOST.contains(unit) ? new byte[LENGTH] : right;
        }
        code.reconstruct(units, LOST);
        Arrays.stream(LOST.toArray())
                .forEach(unit -> Patterns.compare(NAME, pattern, data[pattern][unit], units[unit], wrong));
    }
}
