/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.SparkSetting;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.internal.SQLConf;

/** The settings of one call: its options, then those of the session, then the defaults. Immutable. */
final class Options {
    private final Map<SparkSetting, String> values;

    private Options(Map<SparkSetting, String> values) {
        this.values = values;
    }

    /**
     * What holds for a call, at this moment.
     *
     * @throws IllegalArgumentException if there is no such option
     */
    static Options of(Map<String, String> given) {
        Map<SparkSetting, String> values = new EnumMap<>(SparkSetting.class);
        SQLConf session = SQLConf.get();
        for (SparkSetting setting : SparkSetting.values()) {
            values.put(setting, session.getConfString(setting.key(), setting.defaultValue()));
        }
        given.forEach((name, value) -> values.put(setting(name), value));
        return new Options(values);
    }

    private static SparkSetting setting(String name) {
        return SparkSetting.ofOption(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no option '" + name + "'; there are "
                        + SparkSetting.options().stream()
                                .map(SparkSetting::option)
                                .collect(Collectors.joining(", "))));
    }

    String text(SparkSetting setting) {
        return values.get(setting).trim();
    }

    boolean is(SparkSetting setting) {
        return switch (text(setting).toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(setting, "true or false");
        };
    }

    int whole(SparkSetting setting, int least) {
        try {
            int number = Integer.parseInt(text(setting));
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(setting, "a whole number of at least " + least);
        }
        throw wrong(setting, "a whole number of at least " + least);
    }

    double number(SparkSetting setting, double least, double most) {
        String allowed =
                most == Double.MAX_VALUE ? "a number of at least " + least : "a number from " + least + " to " + most;
        try {
            double number = Double.parseDouble(text(setting));
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(setting, allowed);
        }
        throw wrong(setting, allowed);
    }

    <E extends Enum<E>> E word(SparkSetting setting, Class<E> type) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text(setting))) {
                return constant;
            }
        }
        throw wrong(
                setting,
                "one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")));
    }

    /** Sizes such as 3,32,32; empty if there are none. */
    List<Integer> sizes(SparkSetting setting) {
        try {
            return text(setting).isEmpty()
                    ? List.of()
                    : Arrays.stream(text(setting).split(","))
                            .map(size -> Integer.parseInt(size.trim()))
                            .toList();
        } catch (NumberFormatException e) {
            throw wrong(setting, "whole numbers with commas between them, such as 3,32,32");
        }
    }

    /** A refusal of a setting's value. */
    IllegalArgumentException wrong(SparkSetting setting, String allowed) {
        String option = SparkSetting.options().contains(setting) ? " (or the option " + setting.option() + ")" : "";
        return new IllegalArgumentException(
                setting.key() + option + " must be " + allowed + ", got '" + text(setting) + "'");
    }
}
