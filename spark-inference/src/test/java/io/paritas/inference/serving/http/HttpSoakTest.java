/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short {@link HttpSoak}; {@code -Dio.paritas.test.httpQueries=1000000} is a long one. */
class HttpSoakTest {
    private static final long QUERIES = Long.getLong("io.paritas.test.httpQueries", 5_000);
    private static final long SEED = Long.getLong("io.paritas.test.seed", 1);

    @Test
    @Timeout(1_800)
    void hostileClientsHurtNobodyElse() throws InterruptedException {
        try (HttpSoak soak = new HttpSoak(SEED)) {
            soak.run(QUERIES);

            assertThat(soak.wrong()).as("seed %s", SEED).isEmpty();
            assertThat(soak.right()).isEqualTo(QUERIES);
            assertThat(soak.acts()).isPositive();
            assertThat(soak.settle()).isZero();
        }
    }
}
