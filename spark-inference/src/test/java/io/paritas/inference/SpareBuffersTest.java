/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpareBuffersTest {
    private final SpareBuffers buffers = new SpareBuffers();

    @Test
    void aBufferIsUsedAgainWithRoomForWhatIsAskedFor() {
        FloatBuffer first = buffers.take(6);
        assertThat(first.isDirect()).isTrue();
        assertThat(first.order()).isEqualTo(ByteOrder.nativeOrder());
        first.put(new float[6]).flip();
        buffers.giveBack(first);

        FloatBuffer second = buffers.take(4);
        assertThat(second).isSameAs(first);
        assertThat(second.position()).isZero();
        assertThat(second.remaining()).isEqualTo(4);
        buffers.giveBack(second);
        assertThat(buffers.take(6)).isSameAs(first);
    }

    @Test
    void whoAsksForMoreThanABufferHasGetsANewOne() {
        FloatBuffer small = buffers.take(6);
        buffers.giveBack(small);

        FloatBuffer large = buffers.take(7);
        assertThat(large.remaining()).isEqualTo(7);
        assertThat(large).isNotSameAs(small);
        buffers.giveBack(large);
        assertThat(buffers.take(6)).as("the small one is dropped").isSameAs(large);
    }

    @Test
    void twoHaveBuffersOfTheirOwnAndTheLastOneIsUsedFirst() {
        FloatBuffer first = buffers.take(6);
        FloatBuffer second = buffers.take(6);
        assertThat(second).isNotSameAs(first);
        buffers.giveBack(first);
        buffers.giveBack(second);

        assertThat(buffers.take(6)).isSameAs(second);
        assertThat(buffers.take(6)).isSameAs(first);
    }

    @Test
    void fourAreKept() {
        List<FloatBuffer> taken =
                Stream.generate(() -> buffers.take(6)).limit(6).toList();
        taken.forEach(buffer -> buffers.giveBack(buffer.put(0, 1)));

        assertThat(Stream.generate(() -> buffers.take(6)).limit(6).map(buffer -> buffer.get(0)))
                .as("new ones have zeros")
                .containsExactly(1f, 1f, 1f, 1f, 0f, 0f);
    }
}
