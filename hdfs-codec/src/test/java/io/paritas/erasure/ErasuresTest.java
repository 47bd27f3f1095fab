/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ErasuresTest {
    @Test
    void isASortedSet() {
        Erasures erasures = Erasures.of(6, 0, 3);
        assertThat(erasures.toArray()).containsExactly(0, 3, 6);
        assertThat(erasures)
                .isEqualTo(Erasures.of(0, 3, 6))
                .hasSameHashCodeAs(Erasures.of(3, 6, 0))
                .hasToString("[0, 3, 6]");
        assertThat(erasures.contains(3)).isTrue();
        assertThat(erasures.contains(4)).isFalse();
        assertThat(erasures.union(Erasures.of(1, 3)).toArray()).containsExactly(0, 1, 3, 6);
        assertThat(Erasures.of()).isSameAs(Erasures.none());
    }

    @Test
    void keepsItsIndices() {
        int[] given = {2, 1};
        Erasures erasures = Erasures.of(given);
        given[0] = 7;
        erasures.toArray()[0] = 7;
        assertThat(erasures.toArray()).containsExactly(1, 2);
    }

    @Test
    void refusesWhatIsNoUnit() {
        assertThatThrownBy(() -> Erasures.of(1, -1)).hasMessage("a unit index must be 0 to 255, got -1 in [1, -1]");
        assertThatThrownBy(() -> Erasures.of(256)).hasMessage("a unit index must be 0 to 255, got 256 in [256]");
        assertThatThrownBy(() -> Erasures.of(2, 1, 2))
                .hasMessage("a unit must be named once, got 2 twice in [2, 1, 2]");
    }
}
