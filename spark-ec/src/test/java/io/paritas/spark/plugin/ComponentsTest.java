/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.Undeclared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** A class that is missing, and what Scala throws and nobody declares. */
    @Test
    void allAreCalledWhateverIsThrown() {
        List<Integer> called = new ArrayList<>();
        assertThatThrownBy(() -> Components.each(List.of(1, 2, 3), component -> {
                    called.add(component);
                    if (component == 1) {
                        throw new NoClassDefFoundError("Missing");
                    }
                    if (component == 2) {
                        Undeclared.raise(new IOException("closed"));
                    }
                }))
                .isInstanceOf(NoClassDefFoundError.class)
                .hasMessage("Missing")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::toString)
                        .containsExactly("java.io.IOException: closed"));
        assertThat(called).containsExactly(1, 2, 3);

        assertThatThrownBy(() ->
                        Components.each(List.of(1), component -> Undeclared.raise(new IOException("not reached"))))
                .isInstanceOf(IOException.class)
                .hasMessage("not reached");
    }

    /** As the errors are that the JVM has prepared for when it has no memory left. */
    @Test
    void allAreCalledIfAllThrowTheSameError() {
        List<Integer> called = new ArrayList<>();
        OutOfMemoryError prepared = new OutOfMemoryError("Java heap space");
        assertThatThrownBy(() -> Components.each(List.of(1, 2, 3), component -> {
                    called.add(component);
                    throw prepared;
                }))
                .isSameAs(prepared)
                .hasNoSuppressedExceptions();
        assertThat(called).containsExactly(1, 2, 3);
    }

    /** Spark ends no plugin that does not start. */
    @Test
    void whatHasStartedEndsIfAnotherOneDoesNotStart() {
        List<String> ended = new ArrayList<>();
        assertThatThrownBy(() -> Components.start(
                        new TreeMap<>(Map.of("a", 1, "b", 2, "c", 3, "d", 4)),
                        (name, component) -> {
                            if (component == 3) {
                                throw new IllegalStateException("component " + name);
                            }
                        },
                        component -> {
                            ended.add("component " + component);
                            throw new IllegalStateException("component " + component + " does not end");
                        }))
                .hasMessage("component c")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("component 1 does not end"));
        assertThat(ended).containsExactly("component 1", "component 2");
    }

    @Test
    void messagesForUnknownComponentsAreRefused() {
        assertThatThrownBy(() -> new DriverSide().receive(Envelope.of("coded-inference", "hello")))
                .hasMessage(
                        "the driver must have the component coded-inference of its executors: put the same jars of Paritas"
                                + " on both class paths");
    }
}
