/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** Finds the components on the class path, and calls all of them. */
final class Components {
    private Components() {}

    /**
     * Creates one side of every component, by name.
     *
     * @throws IllegalStateException if two components have one name
     */
    static <S> Map<String, S> sides(Function<Component, S> side) {
        Map<String, S> sides = new TreeMap<>();
        for (Component component : ServiceLoader.load(Component.class)) {
            if (sides.put(component.name(), side.apply(component)) != null) {
                throw new IllegalStateException("names of components must be unique, got '" + component.name()
                        + "' twice: put one version of Paritas on the class path");
            }
        }
        return sides;
    }

    /** Starts one side after the other. If one fails, those that have started are ended: Spark would not do it. */
    static <S> void start(Map<String, S> sides, BiConsumer<String, S> start, Consumer<S> end) {
        List<S> started = new ArrayList<>();
        try {
            sides.forEach((name, side) -> {
                start.accept(name, side);
                started.add(side);
            });
        } catch (Throwable failure) {
            try {
                each(started, end);
            } catch (Throwable again) {
                suppress(failure, again);
            }
            throw failure;
        }
    }

    /** Calls every side, whichever of them fails; throws the first failure. */
    static <S> void each(Collection<S> sides, Consumer<S> call) {
        Throwable failure = null;
        for (S side : sides) {
            try {
                call.accept(side);
            } catch (Throwable e) { // Spark's calls throw checked ones that they do not declare.
                if (failure == null) {
                    failure = e;
                } else {
                    suppress(failure, e);
                }
            }
        }
        if (failure != null) {
            Components.<RuntimeException>raise(failure);
        }
    }

    /** Errors that the JVM has prepared are the same one each time. */
    private static void suppress(Throwable failure, Throwable next) {
        if (failure != next) {
            failure.addSuppressed(next);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }
}
