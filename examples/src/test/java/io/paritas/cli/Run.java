/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * One run of the program in this JVM.
 *
 * @param status the exit status
 * @param out what it printed on its standard output
 * @param err what it printed on its standard error
 */
public record Run(int status, String out, String err) {
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
        return new Run(status, out.toString(), err.toString());
    }
}
