/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowedCoderTest {
    private static final String NAME = "rs-3-2";
    private static final ErasureCode CODE = CodeName.parse(NAME).erasureCode();

    @ParameterizedTest
    @CsvSource({
        "10, 10, 10",
        "7, 1, 0",
        "0, 0, 5",
        "1048576, 1048575, 1048577",
        "2500000, 1048576, 3",
        "3145728, 0, 2097153"
    })
    void makesWhatIsMissing(int first, int second, int third) {
        byte[][] units = units(first, second, third);
        Stripe stripe = stripe(units);
        for (int pattern = 1; pattern < 32; pattern++) {
            if (Integer.bitCount(pattern) <= 2) {
                int erased = pattern;
                Erasures missing = Erasures.of(IntStream.range(0, 5)
                        .filter(unit -> (erased >> unit & 1) == 1)
                        .toArray());
                Map<Integer, UnitBytes> others = new HashMap<>();
                for (int unit = 0; unit < 5; unit++) {
                    if (!missing.contains(unit) && units[unit].length > 0) {
                        others.put(unit, UnitBytes.of(units[unit]));
                    }
                }
                Map<Integer, byte[]> made = WindowedCoder.run(NAME, CODE.repairPlan(missing, missing), stripe, others);
                assertThat(made).as(missing.toString()).hasSize(missing.size());
                made.forEach((unit, bytes) -> assertThat(Arrays.equals(bytes, units[unit]))
                        .as("unit " + unit + " of " + missing)
                        .isTrue());
            }
        }
    }

    /** Data of these lengths, and its parity by the code on whole arrays. */
    private static byte[][] units(int... lengths) {
        Random random = new Random(lengths[0]);
        int longest = Arrays.stream(lengths).max().orElseThrow();
        byte[][] data = new byte[3][longest];
        byte[][] parity = new byte[2][longest];
        byte[][] units = new byte[5][];
        for (int unit = 0; unit < 3; unit++) {
            units[unit] = new byte[lengths[unit]];
            random.nextBytes(units[unit]);
            System.arraycopy(units[unit], 0, data[unit], 0, lengths[unit]);
        }
        CODE.encode(data, parity);
        units[3] = parity[0];
        units[4] = parity[1];
        return units;
    }

    private static Stripe stripe(byte[][] units) {
        List<StoredUnit> stored = new ArrayList<>();
        for (byte[] unit : units) {
            stored.add(StoredUnit.of(List.of(ByteBuffer.wrap(unit))));
        }
        return new Stripe(List.of(0, 1, 2), 3, stored, 0);
    }
}
