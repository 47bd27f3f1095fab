/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.Collection;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
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

    /** Calls every side, whichever of them fails; throws the first failure. */
    static <S> void each(Collection<S> sides, Consumer<S> call) {
        Throwable failure = null;
        for (S side : sides) {
            try {
                call.accept(side);
            } catch (Throwable e) { // Spark's calls throw checked ones that they do not declare.
                if (failure == null) {
                    failure = e;
                } else if (failure != e) { // Errors that the JVM has prepared are the same one each time.
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            Components.<RuntimeException>raise(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }
}
