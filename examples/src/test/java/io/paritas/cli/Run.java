/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * One run of the program in this JVM.
 *
 * @param status the exit status
 * @param out what it printed on its standard output
 * @param err what it printed on its standard error, without what it said of its progress
 * @param progress what it said of its progress there: that depends on how fast the machine is
 */
public record Run(int status, String out, String err, String progress) {
    private static final Pattern PROGRESS = Pattern.compile("^  \\d+ s, .*\\R", Pattern.MULTILINE);

    /** Runs {@code paritas} with these arguments. */
    public static Run paritas(Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine program = Paritas.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        int status = program.execute(words);
        String said = err.toString();
        String progress =
                PROGRESS.matcher(said).results().map(MatchResult::group).collect(Collectors.joining());
        return new Run(status, out.toString(), PROGRESS.matcher(said).replaceAll(""), progress);
    }
}
