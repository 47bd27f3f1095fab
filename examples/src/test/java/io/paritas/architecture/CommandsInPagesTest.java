/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Paritas;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** Each call of {@code bin/paritas} in the pages is one that the program takes: its commands and options exist, its values parse. */
class CommandsInPagesTest {
    private static final Pattern LINE = Pattern.compile("bin/paritas( [^#\\n)|;&>]*)");
    private static final Pattern CONTINUED = Pattern.compile("\\\\\\n\\s*");
    private static final Pattern SPAN = Pattern.compile("`bin/paritas( [^`]*)`");
    /** What may be left out, and what stands for something else. */
    private static final Pattern OPTIONAL = Pattern.compile("\\[[^]]*]|…");

    private final List<String> wrong = new ArrayList<>();
    private int calls;

    @Test
    void theProgramTakesThem() throws IOException {
        for (Pages.Snippet snippet : Pages.snippets()) {
            String text = CONTINUED.matcher(snippet.text()).replaceAll(" ");
            find(LINE, text).forEach(call -> check(snippet, call, false));
        }
        assertThat(wrong).isEmpty();
        assertThat(calls).isGreaterThan(30);
    }

    /** In a sentence, what is required may be missing. */
    @Test
    void sentencesNameCommandsAndOptionsThatExist() throws IOException {
        for (Path page : Pages.all()) {
            find(SPAN, OPTIONAL.matcher(Pages.prose(page)).replaceAll("")).forEach(call -> check(page, call, true));
        }
        assertThat(wrong).isEmpty();
        assertThat(calls).isGreaterThan(20);
    }

    /** What it prints may be paths with spaces. */
    @Test
    void whatItPrintsIsQuoted() throws IOException {
        for (Pages.Snippet snippet : Pages.snippets()) {
            assertThat(snippet.text()).as(snippet.toString()).doesNotContainPattern("[^\"]\\$\\(bin/paritas");
        }
    }

    private static Stream<String> find(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1).strip());
    }

    private void check(Object where, String call, boolean partly) {
        calls++;
        try {
            Paritas.commandLine().parseArgs(call.split("\\s+", -1));
        } catch (MissingParameterException e) {
            if (!partly) {
                wrong.add(where + ": bin/paritas " + call + ": " + e.getMessage());
            }
        } catch (ParameterException e) {
            wrong.add(where + ": bin/paritas " + call + ": " + e.getMessage());
        }
    }
}
