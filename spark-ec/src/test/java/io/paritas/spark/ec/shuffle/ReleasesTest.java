/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ReleasesTest {
    private static final Set<String> ALL = Set.of("1", "2", "3", "4");

    private final Releases releases = new Releases(1);

    private boolean mayGo(String executor, Set<String> busy) {
        return releases.mayGo(executor, ALL.size(), busy::contains);
    }

    @Test
    void asManyAtATimeAsTheCodeSurvives() {
        assertThat(mayGo("1", Set.of("1"))).as("busy").isFalse();
        assertThat(mayGo("2", Set.of("1"))).isTrue();
        assertThat(mayGo("2", Set.of("1"))).as("said again").isTrue();
        assertThat(mayGo("3", Set.of("1"))).isFalse();

        assertThat(releases.takeBack(Set.of("1", "3", "4"), executor -> false)).isEmpty();
        assertThat(mayGo("3", Set.of("1"))).as("the other one has gone").isTrue();
    }

    /** It may work for hours. */
    @Test
    void anotherOneMayGoInPlaceOfOneThatHasGotWork() {
        assertThat(mayGo("1", Set.of())).isTrue();

        assertThat(releases.takeBack(ALL, "1"::equals)).containsExactly("1");
        assertThat(mayGo("1", Set.of("1"))).isFalse();
        assertThat(mayGo("2", Set.of("1"))).isTrue();
        assertThat(releases.takeBack(ALL, "1"::equals))
                .as("it is taken back once")
                .isEmpty();
    }

    @Test
    void theLastOnesStayForTheirFiles() {
        assertThat(releases.mayGo("1", 2, executor -> false)).isFalse();
        assertThat(releases.mayGo("1", 3, executor -> false)).isTrue();
    }
}
