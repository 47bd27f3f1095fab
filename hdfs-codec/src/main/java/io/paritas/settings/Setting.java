/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import io.paritas.PublicApi;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A setting: its key, the type of its value, its default and its meaning. {@code docs/configuration.md} is made from all of
 * them. Immutable; made by a {@link SettingGroup}.
 *
 * @param <T> type of the value
 */
@PublicApi
public final class Setting<T> {
    private final String key;
    private final String option;
    private final Scope scope;
    private final ValueType<T> type;
    private final String defaultText;
    private final String meaning;
    /** Null until somebody wants it, if it may be none on this machine. */
    private T defaultValue;

    Setting(String key, String option, Scope scope, ValueType<T> type, String defaultText, String meaning) {
        this.key = key;
        this.option = option;
        this.scope = scope;
        this.type = type;
        this.defaultText = defaultText;
        this.meaning = meaning;
        this.defaultValue = type.isOfThisMachine() ? null : parse(defaultText);
    }

    /** The property's full name. */
    public String key() {
        return key;
    }

    /** The name as an option of a function; empty if it is none. */
    public Optional<String> option() {
        return Optional.ofNullable(option);
    }

    /** Where it can be given. */
    public Scope scope() {
        return scope;
    }

    /** What the value counts or names, in a word. */
    public String unit() {
        return type.unit();
    }

    /** What it does, in sentences. */
    public String meaning() {
        return meaning;
    }

    /** The default as it would be written. */
    public String defaultText() {
        return defaultText;
    }

    /**
     * The value where nothing is given.
     *
     * @throws IllegalArgumentException if it is none on this machine: a file that its locale cannot spell
     */
    public T defaultValue() {
        T value = defaultValue; // threads that find none make equal ones
        if (value == null) {
            value = parse(defaultText);
            defaultValue = value;
        }
        return value;
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException if the text breaks the rule of the type; the message says the rule
     */
    public T parse(String text) {
        T value = type.parse(text);
        if (value == null) {
            throw new IllegalArgumentException(refusal(type.rule(), text));
        }
        return value;
    }

    /**
     * The value that holds.
     *
     * @param properties finds the text given for a key; null where there is none
     * @throws IllegalArgumentException if that text breaks the rule of the type
     */
    public T get(UnaryOperator<String> properties) {
        String text = properties.apply(key);
        return text == null ? defaultValue() : parse(text);
    }

    /**
     * The value in the system properties of this JVM.
     *
     * @throws IllegalArgumentException if the property breaks the rule of the type
     */
    public T get() {
        return get(System::getProperty);
    }

    /**
     * A message for a value that breaks a rule.
     *
     * @param rule to follow "must be"
     */
    public String refusal(String rule, String text) {
        String name = option == null ? key : key + " (option " + option + ")";
        return name + " must be " + rule + ", got '" + text.strip() + "'";
    }

    /** The key. */
    @Override
    public String toString() {
        return key;
    }
}
