/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.paritas.inference.Logged;
import org.junit.jupiter.api.Test;

class BodyMemoryTest {
    private final BodyMemory memory = new BodyMemory(100);

    @Test
    void allTogetherHaveAsMuchAsThereIs() {
        BodyMemory.Part one = memory.part();
        BodyMemory.Part two = memory.part();

        assertThat(one.take(60)).isTrue();
        assertThat(two.take(40)).isTrue();
        assertThat(two.take(1)).isFalse();
        assertThat(two.take(Long.MAX_VALUE)).isFalse();

        one.giveBack(10);
        assertThat(two.take(11)).isFalse();
        assertThat(two.take(10)).isTrue();
        one.close();
        one.giveBack(50); // has nothing any more
        assertThat(two.take(50)).isTrue();
        assertThat(one.take(1)).isFalse();
    }

    /** Or a body that may be so long could never come. */
    @Test
    void whoIsAloneHasMore() {
        BodyMemory.Part one = memory.part();
        BodyMemory.Part two = memory.part();

        assertThat(one.take(90)).isTrue();
        assertThat(one.take(90)).isTrue();
        assertThat(two.take(1)).isFalse();
        one.close();
        assertThat(two.take(1_000)).isTrue();
    }

    /** Or a request without a body would be refused, because another one has a long one. */
    @Test
    void nothingCanAlwaysBeTaken() {
        assertThat(memory.part().take(150)).isTrue();

        BodyMemory.Part other = memory.part();
        assertThat(other.take(0)).isTrue();
        assertThat(other.take(1)).isFalse();
    }

    @Test
    void aBodyThatHasRoomOnlyAloneIsToldOf() {
        try (Logged log = new Logged(BodyMemory.class.getName())) {
            memory.warnOfBodies(100);
            assertThat(log.lines()).isEmpty();

            memory.warnOfBodies(101);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: a body may have 101 bytes, and all that are on their way 100 together:"
                                    + " one that is longer comes only while no other does; raise Java's heap, or lower the bound of"
                                    + " a body");
        }
    }

    @Test
    void aProcessHasAQuarterOfWhatNettyMayHave() {
        long most = PlatformDependent.maxDirectMemory() / 4;
        BodyMemory.Part one = BodyMemory.OF_PROCESS.part();
        BodyMemory.Part two = BodyMemory.OF_PROCESS.part();
        try {
            assertThat(one.take(1)).isTrue();
            assertThat(two.take(most)).isFalse();
            assertThat(BodyMemory.OF_PROCESS.refusal())
                    .isEqualTo("the bodies of all requests that are on their way must have at most " + most
                            + " bytes together, this one would make them more: ask again later");
        } finally {
            one.close();
            two.close();
        }
    }
}
