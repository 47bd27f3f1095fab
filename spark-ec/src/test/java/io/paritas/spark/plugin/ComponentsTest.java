/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComponentsTest {

    @Test
    void allOnTheClassPathAreFound() {
        assertThat(Components.sides(Component::driverSide))
                .containsOnlyKeys("erasure-coding", "parameter-servers", "recording", "shuffle");
    }

    @Test
    void allAreCalledWhicheverFails() {
        List<Integer> called = new ArrayList<>();
        assertThatThrownBy(() -> Components.each(List.of(1, 2, 3), component -> {
                    called.add(component);
                    if (component < 3) {
                        throw new IllegalStateException("component " + component);
                    }
                }))
                .hasMessage("component 1")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(called).containsExactly(1, 2, 3);
    }

    @Test
    void messagesForUnknownComponentsAreRefused() {
        assertThatThrownBy(() -> new DriverSide().receive(Envelope.of("coded-inference", "hello")))
                .hasMessage(
                        "the driver must have the component coded-inference of its executors: put the same jars of Paritas"
                                + " on both class paths");
    }
}
