/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessorTest {
    private static String kind(String features) {
        return Processor.kind(List.of("processor\t: 0", "model name\t: Intel(R) Xeon(R) CPU @ 2.20GHz", features));
    }

    /** As virtual machines name several generations of a processor. */
    @Test
    void otherVectorsAreAnotherKind() {
        assertThat(kind("flags\t\t: fpu avx2"))
                .startsWith("Intel(R) Xeon(R) CPU @ 2.20GHz (")
                .isEqualTo(kind("flags\t\t: fpu avx2"))
                .isNotEqualTo(kind("flags\t\t: fpu avx2 avx512f"));
        assertThat(Processor.kind(List.of("Features\t: fp asimd")))
                .as("ARM has no names")
                .isNotEqualTo(Processor.kind(List.of("Features\t: fp asimd sve")))
                .isNotEqualTo(Processor.kind(List.of("Features\t: fp asimd", "CPU part\t: 0xd0c")));
    }

    @Test
    void thisProcessorHasOne() {
        assertThat(Processor.KIND).startsWith(Processor.MODEL);
    }
}
