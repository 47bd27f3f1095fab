/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import java.util.ArrayList;
import java.util.List;

/**
 * Settings whose keys begin alike. A class of settings declares its group first and then one constant for each setting:
 *
 * <pre>{@code
 * public static final SettingGroup GROUP = new SettingGroup("spark.paritas.ec.");
 * public static final Setting<Duration> FETCH_TIMEOUT = GROUP.application(
 *         "fetchTimeout", Values.positiveDuration(), "5s", "How long a task waits for a unit of another executor.");
 * }</pre>
 *
 * <p>Settings are added while that class is initialised, by one thread; afterwards the group is only read.
 */
public final class SettingGroup {
    private final String prefix;
    private final List<Setting<?>> settings = new ArrayList<>();

    /** Begins a group whose keys begin with {@code prefix}, its last dot included. */
    public SettingGroup(String prefix) {
        this.prefix = prefix;
    }

    /** What all keys begin with. */
    public String prefix() {
        return prefix;
    }

    /** Adds a system property. */
    public <T> Setting<T> jvm(String name, ValueType<T> type, String defaultText, String meaning) {
        return add(new Setting<>(prefix + name, null, Scope.JVM, type, defaultText, meaning));
    }

    /** Adds a Spark property that is read when the application starts. */
    public <T> Setting<T> application(String name, ValueType<T> type, String defaultText, String meaning) {
        return add(new Setting<>(prefix + name, null, Scope.APPLICATION, type, defaultText, meaning));
    }

    /** Adds a Spark property that is read whenever a query is planned. */
    public <T> Setting<T> session(String name, ValueType<T> type, String defaultText, String meaning) {
        return add(new Setting<>(prefix + name, null, Scope.SESSION, type, defaultText, meaning));
    }

    /** Adds a Spark property that is also an option of functions, by the last part of its name. */
    public <T> Setting<T> option(String name, ValueType<T> type, String defaultText, String meaning) {
        return option(name, name.substring(name.lastIndexOf('.') + 1), type, defaultText, meaning);
    }

    /** Adds a Spark property that is also an option of functions, by a name of its own. */
    public <T> Setting<T> option(String name, String option, ValueType<T> type, String defaultText, String meaning) {
        return add(new Setting<>(prefix + name, option, Scope.OPTION, type, defaultText, meaning));
    }

    private <T> Setting<T> add(Setting<T> setting) {
        for (Setting<?> other : settings) {
            if (other.key().equals(setting.key())) {
                throw new IllegalArgumentException("a key must be declared once, got " + setting.key() + " again");
            }
        }
        settings.add(setting);
        return setting;
    }

    /** All settings of the group, in the order of their declaration. */
    public List<Setting<?>> all() {
        return List.copyOf(settings);
    }
}
