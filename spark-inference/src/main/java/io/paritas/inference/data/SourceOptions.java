/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The {@code key=value} options of a data source, as in {@code count=8000,seed=1}. */
final class SourceOptions {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Parses the parts. Each must have a known key, and each key may be there once. */
    SourceOptions(List<String> parts, String... known) {
        Set<String> keys = new TreeSet<>(Arrays.asList(known));
        for (String part : parts) {
            int equals = part.indexOf('=');
            if (equals < 0 || !keys.contains(part.substring(0, equals))) {
                throw new IllegalArgumentException(
                        "'" + part + "' is no option here: known are " + String.join("=…, ", keys) + "=…");
            }
            if (values.put(part.substring(0, equals), part.substring(equals + 1)) != null) {
                throw new IllegalArgumentException(
                        "an option is given once, '" + part + "' is not the first of its kind");
            }
        }
    }

    String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    long number(String key, long otherwise) {
        String value = values.get(key);
        try {
            return value == null ? otherwise : Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + " is a whole number, got '" + value + "'", e);
        }
    }

    int integer(String key, int otherwise) {
        long value = number(key, otherwise);
        if (value != (int) value) {
            throw new IllegalArgumentException(key + " is below 2^31, got " + value);
        }
        return (int) value;
    }
}
