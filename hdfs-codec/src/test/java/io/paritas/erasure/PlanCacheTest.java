/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanCacheTest {
    private final List<Integer> computed = new ArrayList<>();
    private final PlanCache<Integer, String> cache = new PlanCache<>(2);

    private String get(int key) {
        return cache.get(key, k -> {
            computed.add(k);
            return "plan " + k;
        });
    }

    @Test
    void computesOnceAndForgetsWhatWasNotUsedForLongest() {
        assertThat(get(1)).isEqualTo("plan 1");
        get(2);
        get(1);
        get(3); // pushes 2 out
        get(1);
        assertThat(computed).containsExactly(1, 2, 3);
        get(2);
        assertThat(computed).containsExactly(1, 2, 3, 2);
        assertThat(cache.size()).isEqualTo(2);
    }
}
