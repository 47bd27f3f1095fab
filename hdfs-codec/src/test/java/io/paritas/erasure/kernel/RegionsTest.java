/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RegionsTest {

    /** Or a kernel would reach other bytes in an array than in a direct buffer. */
    @Test
    void aViewIsTheRegionWhereverItLies() {
        byte[] bytes = {0, 1, 2, 3, 4, 5, 6, 7};
        ByteBuffer direct = ByteBuffer.allocateDirect(8).put(bytes).flip();
        for (Regions regions : new Regions[] {
            Regions.of(new byte[][] {bytes}, new int[] {3}, 5),
            Regions.of(ByteBuffer.wrap(bytes, 3, 5)),
            Regions.of(ByteBuffer.wrap(bytes, 3, 5).asReadOnlyBuffer()),
            Regions.of(direct.position(3))
        }) {
            ByteBuffer view = regions.slice(1, 4).view(0);
            assertThat(view.position()).isZero();
            assertThat(view.capacity()).isEqualTo(4);
            assertThat(view).isEqualTo(ByteBuffer.wrap(new byte[] {4, 5, 6, 7}));
            assertThat(view.get(0)).isEqualTo((byte) 4);
        }
        Regions.of(bytes).slice(2, 1).view(0).put(0, (byte) 22);
        assertThat(bytes[2]).isEqualTo((byte) 22);
    }

    @Test
    void noRegionHasANegativeLength() {
        assertThatThrownBy(() -> Regions.of(new byte[0][], new int[0], -5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a region cannot have a negative length, got -5");
    }
}
