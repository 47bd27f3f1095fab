/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import java.nio.charset.StandardCharsets;

/** A line of Criteo's click logs. */
public final class CriteoFuzz {
    private static final CriteoLine LINE = new CriteoLine(Tables.of(1000));

    private CriteoFuzz() {}

    public static void fuzzerTestOneInput(byte[] bytes) {
        try {
            Sample sample = LINE.parse(new String(bytes, StandardCharsets.UTF_8));
            for (long row : sample.categorical()) {
                if (row < 0 || row >= 1000) {
                    throw new AssertionError("row " + row + " of a table of 1000");
                }
            }
        } catch (IllegalArgumentException e) {
            // refused
        }
    }
}
