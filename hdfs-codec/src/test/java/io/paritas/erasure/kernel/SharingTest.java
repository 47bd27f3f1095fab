/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.Sharing.Policy;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SharingTest {
    private static BitSet sum(int... terms) {
        BitSet sum = new BitSet();
        for (int term : terms) {
            sum.set(term);
        }
        return sum;
    }

    private final List<BitSet> sums = List.of(sum(0, 1, 2), sum(0, 1, 3), sum(0, 1, 2, 3));

    @Test
    void sharesTheMostFrequentPairFirst() {
        Sharing sharing = new Sharing(sums, 4).apply(new Policy(2, 3));
        assertThat(sharing.shared(4)).containsExactly(0, 1);
        assertThat(Stream.of(0, 1, 2).map(sharing::sum))
                .containsExactly(List.of(2, 4), List.of(3, 4), List.of(2, 3, 4));
    }

    @Test
    void sharesSharesToo() {
        Sharing sharing = new Sharing(sums, 4).apply(new Policy(2, 2));
        assertThat(sharing.shared(5)).containsExactly(2, 4);
        assertThat(Stream.of(0, 1, 2).map(sharing::sum)).containsExactly(List.of(5), List.of(3, 4), List.of(3, 5));
    }

    @Test
    void sharesTriples() {
        Sharing sharing = new Sharing(sums, 4).apply(new Policy(3, 2));
        assertThat(sharing.shared(4)).containsExactly(0, 1, 2);
        assertThat(Stream.of(0, 1, 2).map(sharing::sum)).containsExactly(List.of(4), List.of(0, 1, 3), List.of(3, 4));
    }

    @Test
    void leavesTheGivenSumsAlone() {
        new Sharing(sums, 4).apply(new Policy(2, 2));
        assertThat(sums).containsExactly(sum(0, 1, 2), sum(0, 1, 3), sum(0, 1, 2, 3));
    }
}
