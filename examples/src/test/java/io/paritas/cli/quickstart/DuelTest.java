/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DuelTest {
    @Test
    void acceptsEqualDigests() {
        assertThat(new Duel.Result(transfer("a"), transfer("a")).sha256()).isEqualTo("a");
    }

    @Test
    void namesTheCoderThatTransferredSomethingElse() {
        assertThatThrownBy(() -> new Duel.Result(transfer("a"), transfer("b")).sha256())
                .isInstanceOf(CheckFailed.class)
                .hasMessageStartingWith(
                        "a transfer by rs_java must have the SHA-256 of the original, a, got b in" + " 7 bytes");
    }

    private static Transfer transfer(String sha256) {
        return new Transfer(7, Duration.ofMillis(1), Duration.ZERO, sha256);
    }
}
