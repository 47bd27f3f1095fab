/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What JVMs say of themselves; {@code FreshJvmTest} starts some. */
class CompilersTest {
    @ParameterizedTest
    @CsvSource({
        "'mixed mode, sharing', 17.0.15+6-Debian-1deb12u1, true",
        "'compiled mode', 25.0.3+9-LTS, true",
        "'interpreted mode, sharing', 17.0.15+6, false",
        "'mixed mode, emulated-client, sharing', 25.0.3+9-LTS, false",
        "'mixed mode, sharing', 21.0.2+13-jvmci-23.1-b30, false"
    })
    void c2IsThereUnlessTheJvmSaysOtherwise(String mode, String build, boolean expected) {
        assertThat(Compilers.hasC2(Map.of("java.vm.info", mode, "java.vm.version", build)::get))
                .isEqualTo(expected);
    }

    @Test
    void aJvmThatSaysNothingHasIt() {
        assertThat(Compilers.hasC2(key -> null)).isTrue();
    }
}
