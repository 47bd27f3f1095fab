/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The types of setting values. Numbers, durations and sizes have the forms that Spark's own properties have. */
public final class Values {
    private static final Pattern AMOUNT = Pattern.compile("(\\d+)\\s*([a-z]*)");
    private static final int KIBI = 10;
    /** Nobody waits longer, and its nanoseconds are a long, also as the sum of two. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Values() {}

    /** Any text; surrounding blanks do not count. */
    public static ValueType<String> text() {
        return new ValueType<>("text", "a text", Function.identity());
    }

    /** {@code true} or {@code false}, in any case. */
    public static ValueType<Boolean> bool() {
        return new ValueType<>("boolean", "true or false", text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> null;
        });
    }

    /** A whole number of at least {@code least}. */
    public static ValueType<Integer> atLeast(int least) {
        return new ValueType<>("number", "a whole number of at least " + least, text -> {
            int number = Integer.parseInt(text);
            return number >= least ? number : null;
        });
    }

    /** A whole number within bounds, both included. */
    public static ValueType<Integer> between(int least, int most) {
        return new ValueType<>("number", "a whole number from " + least + " to " + most, text -> {
            int number = Integer.parseInt(text);
            return number >= least && number <= most ? number : null;
        });
    }

    /** A finite number of at least {@code least}. */
    public static ValueType<Double> decimalAtLeast(double least) {
        return decimal("a number of at least " + plain(least), least, Double.MAX_VALUE);
    }

    /** A finite number within bounds, both included. */
    public static ValueType<Double> decimalBetween(double least, double most) {
        return decimal("a number from " + plain(least) + " to " + plain(most), least, most);
    }

    /** A number of at least {@code least} and below {@code bound}. */
    public static ValueType<Double> decimalBelow(double least, double bound) {
        return decimal(
                "a number of at least " + plain(least) + " and below " + plain(bound), least, Math.nextDown(bound));
    }

    /** How many of something whole, or which share of one, as Spark gives resources to tasks. */
    public static ValueType<Double> countOrShare() {
        return new ValueType<>("number", "a whole number of at least 0, or a share of one such as 0.5", text -> {
            double number = Double.parseDouble(text);
            return number >= 0 && number <= Integer.MAX_VALUE && (number < 1 || number == Math.rint(number))
                    ? number
                    : null;
        });
    }

    private static ValueType<Double> decimal(String rule, double least, double most) {
        return new ValueType<>("number", rule, text -> {
            double number = Double.parseDouble(text);
            return number >= least && number <= most ? number : null;
        });
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    /** One of the constants of an enum, by its name in lower case, in any case. */
    public static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        List<E> constants = List.of(type.getEnumConstants());
        return oneOf(constants, constant -> constant.name().toLowerCase(Locale.ROOT));
    }

    /**
     * One of some constants.
     *
     * @param name what a constant is called, compared in any case
     */
    public static <E> ValueType<E> oneOf(List<E> constants, Function<E, String> name) {
        StringJoiner names = new StringJoiner(", ");
        for (E constant : constants) {
            names.add(name.apply(constant));
        }
        return new ValueType<>("name", "one of " + names, text -> {
            for (E constant : constants) {
                if (name.apply(constant).equalsIgnoreCase(text)) {
                    return constant;
                }
            }
            return null;
        });
    }

    /**
     * A duration such as {@code 200ms}, {@code 5s}, {@code 1min}, {@code 2h} or {@code 1d}, as Spark writes them; a bare 0 is
     * allowed. One of more than a hundred years is a hundred years.
     */
    public static ValueType<Duration> duration() {
        return time("0 or a duration", duration -> true);
    }

    /** A {@link #duration} that is not zero. */
    public static ValueType<Duration> positiveDuration() {
        return time("a duration above zero", duration -> !duration.isZero());
    }

    /** A {@link #duration} of at least a millisecond, for what cannot wait less. */
    public static ValueType<Duration> positiveMilliseconds() {
        return time("a duration of at least 1ms", duration -> duration.toMillis() > 0);
    }

    /** A {@link #duration} of at least a millisecond, or 0. */
    public static ValueType<Duration> milliseconds() {
        return time("0 or a duration of at least 1ms", duration -> duration.isZero() || duration.toMillis() > 0);
    }

    private static ValueType<Duration> time(String rule, Predicate<Duration> follows) {
        return new ValueType<>("time", rule + " with a unit from us to d, such as 200ms, 5s or 1min", text -> {
            Duration duration = parseDuration(text);
            return duration == null || !follows.test(duration) ? null : duration;
        });
    }

    private static Duration parseDuration(String text) {
        Matcher matcher = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return null;
        }
        Duration duration = duration(Long.parseLong(matcher.group(1)), matcher.group(2));
        return duration == null || duration.compareTo(LONGEST) < 0 ? duration : LONGEST;
    }

    private static Duration duration(long amount, String unit) {
        return switch (unit) {
            case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000));
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m", "min" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            case "d" -> Duration.ofDays(amount);
            case "" -> amount == 0 ? Duration.ZERO : null;
            default -> null;
        };
    }

    /** A number of bytes such as {@code 65536}, {@code 64k}, {@code 16m} or {@code 1g}, from {@code least} to {@code most}. */
    public static ValueType<Long> bytes(long least, long most) {
        String range = most == Long.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most;
        return new ValueType<>("bytes", "a number of bytes " + range + ", such as 64k or 16m", text -> {
            long bytes = parseBytes(text);
            return bytes >= least && bytes <= most ? bytes : null;
        });
    }

    private static long parseBytes(String text) {
        Matcher matcher = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return -1;
        }
        long amount = Long.parseLong(matcher.group(1));
        int power =
                switch (matcher.group(2)) {
                    case "", "b" -> 0;
                    case "k", "kb" -> 1;
                    case "m", "mb" -> 2;
                    case "g", "gb" -> 3;
                    case "t", "tb" -> 4;
                    default -> -1;
                };
        return power < 0 ? -1 : Math.multiplyExact(amount, 1L << (power * KIBI));
    }

    /** A file of this machine, whose locale can spell it; a leading {@code ~/} is the user's home, if the user has one. */
    public static ValueType<Path> file() {
        return new ValueType<>(
                        "path",
                        "a path that the locale of this JVM can spell, below ~/ only where the user has a home",
                        text -> text.startsWith("~/") ? inHome(text.substring(2)) : Path.of(text))
                .ofThisMachine();
    }

    /** Java says of a user without a home, as containers may have, that it is {@code ?}. */
    private static Path inHome(String rest) {
        Path home = Path.of(System.getProperty("user.home"));
        return home.isAbsolute() ? home.resolve(rest) : null;
    }

    /** Positive whole numbers with commas between them, such as {@code 3,32,32}; none if the text is empty. */
    public static ValueType<List<Integer>> sizes() {
        return new ValueType<>("sizes", "positive whole numbers with commas between them, such as 3,32,32", text -> {
            List<Integer> sizes = text.isEmpty()
                    ? List.of()
                    : Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .map(Integer::valueOf)
                            .toList();
            return sizes.stream().allMatch(size -> size > 0) ? sizes : null;
        });
    }
}
