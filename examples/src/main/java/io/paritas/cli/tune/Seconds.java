/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.tune;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of seconds, such as {@code 60} or {@code 60s}. */
final class Seconds implements ITypeConverter<Duration> {
    private static final Pattern SYNTAX = Pattern.compile("([1-9]\\d{0,5})s?");

    @Override
    public Duration convert(String value) {
        Matcher seconds = SYNTAX.matcher(value);
        if (!seconds.matches()) {
            throw new TypeConversionException("a budget must be 1 to 999999 seconds, such as 60s, got '" + value + "'");
        }
        return Duration.ofSeconds(Integer.parseInt(seconds.group(1)));
    }
}
