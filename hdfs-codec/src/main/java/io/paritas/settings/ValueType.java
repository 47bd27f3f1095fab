/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import java.util.Objects;
import java.util.function.Function;

/**
 * A type of setting values: how they are read, and the rule that they satisfy. Immutable. {@link Values} has those there are.
 *
 * @param <T> type of a value in Java
 */
public final class ValueType<T> {
    private final String unit;
    private final String rule;
    private final Function<String, T> parser;
    private final boolean ofThisMachine;

    /**
     * Creates a type.
     *
     * @param unit what values count or name, one word for the documentation, such as {@code time} or {@code bytes}
     * @param rule what values must be, to follow "must be" in a message
     * @param parser reads a stripped text; throws an IllegalArgumentException or returns null if it breaks the rule
     */
    public ValueType(String unit, String rule, Function<String, T> parser) {
        this(unit, rule, parser, false);
    }

    private ValueType(String unit, String rule, Function<String, T> parser, boolean ofThisMachine) {
        this.unit = Objects.requireNonNull(unit, "unit");
        this.rule = Objects.requireNonNull(rule, "rule");
        this.parser = Objects.requireNonNull(parser, "parser");
        this.ofThisMachine = ofThisMachine;
    }

    /** This type with another word for its unit, such as {@code queries} for a whole number. */
    public ValueType<T> of(String otherUnit) {
        return new ValueType<>(otherUnit, rule, parser, ofThisMachine);
    }

    /** This type of which a text may be a value on one machine and not on another one. */
    ValueType<T> ofThisMachine() {
        return new ValueType<>(unit, rule, parser, true);
    }

    boolean isOfThisMachine() {
        return ofThisMachine;
    }

    String unit() {
        return unit;
    }

    String rule() {
        return rule;
    }

    /** Reads a text; null if it breaks the rule. */
    T parse(String text) {
        try {
            return parser.apply(text.strip());
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }
}
