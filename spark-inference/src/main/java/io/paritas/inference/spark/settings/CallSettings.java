/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.settings.Scope;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.spark.plugin.UnknownSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The settings that hold for a call of a function: its options, and those of its session. */
public final class CallSettings {
    private static final List<SettingGroup> GROUPS =
            List.of(CodedSettings.GROUP, EngineSettings.GROUP, InputSettings.GROUP);
    private static final List<Setting<?>> ALL = GROUPS.stream()
            .flatMap(group -> group.all().stream())
            .filter(setting -> setting.scope() != Scope.APPLICATION)
            .collect(Collectors.toUnmodifiableList());
    private static final List<Setting<?>> OPTIONS =
            ALL.stream().filter(setting -> setting.option().isPresent()).collect(Collectors.toUnmodifiableList());

    private CallSettings() {}

    /** Where they are declared, with some that hold for an application. */
    public static List<SettingGroup> groups() {
        return GROUPS;
    }

    /** All that may differ from one session to another, options included. */
    public static List<Setting<?>> all() {
        return ALL;
    }

    /** All that are options of the functions. */
    public static List<Setting<?>> options() {
        return OPTIONS;
    }

    /** The names of the options, with commas between them. */
    public static String optionNames() {
        return OPTIONS.stream().flatMap(setting -> setting.option().stream()).collect(Collectors.joining(", "));
    }

    /** The exception for a name that is none of these options. It lists them, first the one that is most like the name. */
    public static IllegalArgumentException unknown(String name, List<Setting<?>> options) {
        List<String> names = new ArrayList<>(
                options.stream().flatMap(setting -> setting.option().stream()).toList());
        UnknownSettings.nearest(name, names).ifPresent(nearest -> {
            names.remove(nearest);
            names.add(0, nearest);
        });
        return new IllegalArgumentException(
                "an option must be one of " + String.join(", ", names) + ", got '" + name + "'");
    }

    /**
     * Adds the value of an option.
     *
     * @throws IllegalArgumentException if it is given already
     */
    public static void put(Map<Setting<?>, String> given, Setting<?> option, String value) {
        String before = given.putIfAbsent(option, value);
        if (before != null) {
            throw new IllegalArgumentException(
                    "every option must be given once, " + option.option().orElseThrow() + " is given as '" + before
                            + "' and as '" + value + "': leave one out");
        }
    }

    /** The setting with that name as an option; case does not matter. */
    public static Optional<Setting<?>> ofOption(String name) {
        return OPTIONS.stream()
                .filter(setting -> setting.option().orElseThrow().equalsIgnoreCase(name))
                .findFirst();
    }
}
