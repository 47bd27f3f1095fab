/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.util.OptionalInt;

/** Which GPU a model may use. Immutable. */
@PublicApi
public final class GpuChoice {
    /** The GPU that the engine takes where nobody has chosen one: that of its settings, or the first. */
    public static final GpuChoice ANY = new GpuChoice("any", OptionalInt.empty());

    /** None: a model that may run anywhere runs on the CPU. */
    public static final GpuChoice NONE = new GpuChoice("none", OptionalInt.empty());

    private final String name;
    private final OptionalInt number;

    private GpuChoice(String name, OptionalInt number) {
        this.name = name;
        this.number = number;
    }

    /**
     * The GPU with a number, from 0, among those that CUDA shows.
     *
     * @throws IllegalArgumentException if the number is below 0
     */
    public static GpuChoice of(int number) {
        if (number < 0) {
            throw new IllegalArgumentException("the number of a GPU must be at least 0, got " + number);
        }
        return new GpuChoice(Integer.toString(number), OptionalInt.of(number));
    }

    /** Its number; empty for {@link #ANY} and {@link #NONE}. */
    public OptionalInt number() {
        return number;
    }

    /** The number for an engine without settings for it: the first if none is chosen. */
    public int orFirst() {
        return number.orElse(0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GpuChoice choice && name.equals(choice.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** {@code any}, {@code none}, or the number. */
    @Override
    public String toString() {
        return name;
    }
}
