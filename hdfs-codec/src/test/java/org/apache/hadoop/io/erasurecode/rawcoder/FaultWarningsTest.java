/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.CodingFaultException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultWarningsTest {
    private static final long SECOND = 1_000_000_000;

    /** Alerts look for the name of the exception (docs/monitoring.md). */
    @Test
    void theFirstIsLoggedWithItsNameAndThenOneAMinute() {
        List<String> lines = new ArrayList<>();
        FaultWarnings warnings = new FaultWarnings(lines::add);
        CodingFaultException fault = new CodingFaultException(6, 3);
        long start = Long.MAX_VALUE - 5 * SECOND; // clocks overflow
        warnings.warn(fault, start);
        warnings.warn(fault, start + SECOND);
        warnings.warn(fault, start + 60 * SECOND - 1);
        warnings.warn(fault, start + 60 * SECOND);
        warnings.warn(fault, start + 120 * SECOND);

        String text = "io.paritas.erasure.kernel.CodingFaultException: " + fault.getMessage();
        assertThat(lines)
                .containsExactly(
                        text + " (fault 1 of this process; the coder computes once more)",
                        text + " (fault 4 of this process; the coder computes once more)",
                        text + " (fault 5 of this process; the coder computes once more)");
    }
}
