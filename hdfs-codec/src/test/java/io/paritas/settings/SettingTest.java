/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
    private final SettingGroup group = new SettingGroup("spark.paritas.test.");
    private final Setting<Integer> count = group.option("count", Values.atLeast(1), "2", "How many.");

    @Test
    void aValueThatIsNotGivenIsTheDefault() {
        assertThat(count.get(key -> null)).isEqualTo(2);
        assertThat(count.defaultText()).isEqualTo("2");
    }

    @Test
    void aValueIsLookedUpByItsKey() {
        assertThat(count.get(Map.of("spark.paritas.test.count", " 7 ")::get)).isEqualTo(7);
    }

    @Test
    void aSystemPropertyIsRead() {
        Setting<String> home = new SettingGroup("user.").jvm("home", Values.text(), "", "The home.");
        assertThat(home.get()).isEqualTo(System.getProperty("user.home"));
    }

    @Test
    void anOptionIsNamedByTheLastPartOfTheKeyOrByItsOwnName() {
        assertThat(count.option()).contains("count");
        assertThat(group.option("engine.name", "engine", Values.text(), "auto", "Which.")
                        .option())
                .contains("engine");
        assertThat(group.session("other", Values.text(), "", "Else.").option()).isEmpty();
    }

    @Test
    void aRefusalSaysTheKeyTheRuleAndTheValue() {
        assertThatThrownBy(() -> count.parse("0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spark.paritas.test.count (option count) must be a whole number of at least 1, got '0'");
        Setting<Duration> wait = group.application("wait", Values.duration(), "5s", "How long.");
        assertThatThrownBy(() -> wait.parse("5"))
                .hasMessage(
                        "spark.paritas.test.wait must be 0 or a duration with a unit from us to d, such as 200ms, 5s or"
                                + " 1min, got '5'");
    }

    @Test
    void aDefaultMustBeAValue() {
        assertThatThrownBy(() -> group.session("wrong", Values.atLeast(3), "2", "Wrong."))
                .hasMessage("spark.paritas.test.wrong must be a whole number of at least 3, got '2'");
    }

    @Test
    void aKeyIsDeclaredOnce() {
        assertThatThrownBy(() -> group.session("count", Values.text(), "", "Again."))
                .hasMessage("a key must be declared once, got spark.paritas.test.count again");
    }

    @Test
    void aGroupKeepsTheOrder() {
        Setting<Boolean> flag = group.jvm("flag", Values.bool(), "true", "Whether.");
        assertThat(group.all()).extracting(Setting::key).containsExactly(count.key(), flag.key());
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0s,0", "200ms,200", "5s,5000", "5 S,5000", "1min,60000", "1m,60000", "2h,7200000", "1d,86400000"
    })
    void durationsAreWrittenAsSparksAre(String text, long milliseconds) {
        assertThat(read(Values.duration(), text)).isEqualTo(Duration.ofMillis(milliseconds));
    }

    @Test
    void aDurationCanBeMicroseconds() {
        assertThat(read(Values.duration(), "50us")).isEqualTo(Duration.of(50, TimeUnit.MICROSECONDS.toChronoUnit()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-5s", "5.5s", "s", "5 weeks", "99999999999999999999s", "9223372036854775807d"})
    void otherTextsAreNoDurations(String text) {
        refused(Values.duration(), text);
    }

    @Test
    void aPositiveDurationIsNotZero() {
        assertThat(read(Values.positiveDuration(), "1ms")).isEqualTo(Duration.ofMillis(1));
        refused(Values.positiveDuration(), "0s");
    }

    @Test
    void aDurationInMillisecondsHasAtLeastOne() {
        assertThat(read(Values.milliseconds(), "0")).isEqualTo(Duration.ZERO);
        assertThat(read(Values.milliseconds(), "1ms")).isEqualTo(Duration.ofMillis(1));
        assertThat(read(Values.positiveMilliseconds(), "1000us")).isEqualTo(Duration.ofMillis(1));
        refused(Values.milliseconds(), "999us");
        refused(Values.milliseconds(), "soon");
        refused(Values.positiveMilliseconds(), "999us");
        refused(Values.positiveMilliseconds(), "0");
        refused(Values.positiveMilliseconds(), "soon");
    }

    /** Whoever writes a million days means never. Their nanoseconds are no long. */
    @ParameterizedTest
    @ValueSource(strings = {"36500d", "1000000d", "9223372036854775807s", "9223372036854775807ms"})
    void aDurationEndsWithinAHundredYears(String text) {
        Duration longest = Duration.ofDays(36_500);
        assertThat(read(Values.duration(), text)).isEqualTo(longest);
        assertThat(read(Values.positiveDuration(), text)).isEqualTo(longest);
        assertThat(read(Values.positiveMilliseconds(), text)).isEqualTo(longest);
        assertThat(Math.multiplyExact(2, longest.toNanos())).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"0,0", "65536,65536", "64k,65536", "16m,16777216", "16MB,16777216", "1g,1073741824", "7b,7"})
    void sizesAreWrittenAsSparksAre(String text, long bytes) {
        assertThat(read(Values.bytes(0, Long.MAX_VALUE), text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5m", "64q", "9223372036854775807k", "2g"})
    void otherTextsAreNoSizes(String text) {
        refused(Values.bytes(0, 1 << 30), text);
    }

    @Test
    void numbersHaveBounds() {
        assertThat(read(Values.between(0, 3), "3")).isEqualTo(3);
        refused(Values.between(0, 3), "4");
        refused(Values.between(0, 3), "-1");
        refused(Values.between(0, 3), "two");
        assertThat(read(Values.decimalBetween(0, 1), "0.25")).isEqualTo(0.25);
        refused(Values.decimalBetween(0, 1), "1.25");
        assertThat(read(Values.decimalBelow(0, 100), "99.9")).isEqualTo(99.9);
        refused(Values.decimalBelow(0, 100), "100");
        refused(Values.decimalBelow(0, 100), "-1");
        refused(Values.decimalBelow(0, 100), "NaN");
        refused(Values.decimalAtLeast(0), "NaN");
        refused(Values.decimalAtLeast(0), "Infinity");
        assertThat(read(Values.countOrShare(), "0.25")).isEqualTo(0.25);
        assertThat(read(Values.countOrShare(), "2.0")).isEqualTo(2);
        refused(Values.countOrShare(), "-0.5");
        refused(Values.countOrShare(), "1.5");
        refused(Values.countOrShare(), "1e300");
    }

    @Test
    void wordsAreTakenInAnyCase() {
        assertThat(read(Values.bool(), "TRUE")).isTrue();
        assertThat(read(Values.oneOf(TimeUnit.class), "Seconds")).isEqualTo(TimeUnit.SECONDS);
        refused(Values.bool(), "yes");
        refused(Values.oneOf(TimeUnit.class), "weeks");
    }

    @Test
    void listsMayBeEmpty() {
        assertThat(read(Values.sizes(), "")).isEmpty();
        assertThat(read(Values.sizes(), "3, 32,32")).isEqualTo(List.of(3, 32, 32));
        refused(Values.sizes(), "3,,32");
        refused(Values.sizes(), "3,0");
    }

    @Test
    void aFileMayBeInTheHome() {
        assertThat(read(Values.file(), "~/a/b")).isEqualTo(Path.of(System.getProperty("user.home"), "a", "b"));
        assertThat(read(Values.file(), "/a/b")).isEqualTo(Path.of("/a/b"));
    }

    /** As in a container whose user has no entry: a folder of that name would be made wherever the JVM was started. */
    @Test
    void aUserWithoutAHomeHasNoFileInIt() {
        String home = System.setProperty("user.home", "?");
        try {
            assertThatThrownBy(() -> read(Values.file(), "~/a/b"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "k must be a path that the locale of this JVM can spell, below ~/ only where the user has a"
                                    + " home, got '~/a/b'");
            assertThat(read(Values.file(), "/a/b")).isEqualTo(Path.of("/a/b"));
        } finally {
            System.setProperty("user.home", home);
        }
    }

    private static <T> T read(ValueType<T> type, String text) {
        return new Setting<>("k", null, Scope.JVM, type, text, "").defaultValue();
    }

    private static void refused(ValueType<?> type, String text) {
        assertThatThrownBy(() -> read(type, text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("k must be ")
                .hasMessageEndingWith(", got '" + text + "'");
    }
}
