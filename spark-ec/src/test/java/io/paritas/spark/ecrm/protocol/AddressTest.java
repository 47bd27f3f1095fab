/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AddressTest {
    /** Hash tables of addresses have the same order in every JVM. */
    @Test
    void aHashIsTheSameInEveryJvm() {
        assertThat(List.of(Address.DRIVER, Address.server(2, 3), Address.worker(5), Address.candidate(7)))
                .extracting(Address::hashCode)
                .containsExactly(0, 1056, 1927, 2890);
    }
}
