/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import org.junit.jupiter.api.Test;

class UnitScanTest {
    /** The path is in the line already. Tests may run as a user who may read all. */
    @Test
    void saysInWordsWhyAUnitCannotBeRead() {
        assertThat(UnitScan.unreadable(new AccessDeniedException("units/unit-000.paritas")))
                .isEqualTo("permission denied");
        assertThat(UnitScan.unreadable(new IOException("Input/output error")))
                .isEqualTo("cannot be read: Input/output error");
        assertThat(UnitScan.unreadable(new IOException())).isEqualTo("cannot be read: java.io.IOException");
    }
}
