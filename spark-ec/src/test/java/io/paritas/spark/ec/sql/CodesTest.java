/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import org.junit.jupiter.api.Test;

class CodesTest {
    @Test
    void aCodeIsMadeOnce() {
        assertThat(Codes.get(CodeName.parse("6-3"))).isSameAs(Codes.get(CodeName.parse("paritas-6-3")));
    }
}
