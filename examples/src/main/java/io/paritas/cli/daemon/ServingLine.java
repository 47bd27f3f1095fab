/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.daemon;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;

/** The line that a daemon writes to its standard output when it serves. Whatever else is there, such as an agent's, is none of it. */
public final class ServingLine {
    /** Options by which a JVM writes its own warnings to its standard error, where a daemon's log is. */
    public static final List<String> JVM_OPTIONS =
            List.of("-Xlog:all=off:stdout", "-Xlog:all=warning:stderr", "-XX:+DisplayVMOutputToStderr");

    private static final String BEGINNING = "paritas: serves ";

    private ServingLine() {}

    /** The line of a daemon that says how it is reached. */
    public static String of(String where) {
        return BEGINNING + where;
    }

    /** Reads up to the line and returns how the daemon is reached; empty if the output ends before. */
    public static String await(BufferedReader output) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(BEGINNING)) {
                return line.substring(BEGINNING.length());
            }
        }
        return "";
    }
}
