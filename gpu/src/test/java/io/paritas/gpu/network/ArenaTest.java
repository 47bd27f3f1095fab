/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.network.Arena.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArenaTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);

    /** No two buffers that are in use at the same time share a byte. */
    static void check(List<Use> uses) {
        Arena arena = Arena.of(uses);
        for (int i = 0; i < uses.size(); i++) {
            long end = arena.offsets().get(i) + uses.get(i).bytes();
            assertThat(arena.offsets().get(i) % Arena.ALIGNMENT).isZero();
            assertThat(end).isLessThanOrEqualTo(arena.bytes());
            for (int j = 0; j < i; j++) {
                boolean apart = end <= arena.offsets().get(j)
                        || arena.offsets().get(j) + uses.get(j).bytes()
                                <= arena.offsets().get(i);
                boolean together = uses.get(i).first() <= uses.get(j).last()
                        && uses.get(j).first() <= uses.get(i).last();
                assertThat(apart || !together)
                        .as("buffers %d and %d of %s, seed %d", i, j, uses, SEED)
                        .isTrue();
            }
        }
        assertThat(arena.bytes()).isGreaterThanOrEqualTo(Arena.leastBytes(uses));
    }

    @Test
    void buffersInUseTogetherAreApart() {
        Random random = new Random(SEED);
        for (int i = 0; i < 500; i++) {
            List<Use> uses = new ArrayList<>();
            int count = random.nextInt(20);
            for (int j = 0; j < count; j++) {
                int first = random.nextInt(20);
                uses.add(new Use(first, first + random.nextInt(5), 1 + random.nextInt(5000)));
            }
            check(uses);
        }
    }

    @Test
    void aChainTakesNoMoreThanItsLargestNeighbours() {
        List<Use> chain = List.of(
                new Use(-1, 0, 1000), new Use(0, 1, 4096), new Use(1, 2, 512), new Use(2, 3, 4000), new Use(3, 4, 1));
        assertThat(Arena.leastBytes(chain)).isEqualTo(4096 + 1024);
        assertThat(Arena.of(chain).bytes()).isEqualTo(4096 + 1024);
        assertThat(Arena.of(List.of())).isEqualTo(new Arena(List.of(), 0));
    }
}
