/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class DriverOutputTest {
    private final StringWriter console = new StringWriter();
    private final StringWriter err = new StringWriter();

    private void print(DriverOutput output) {
        for (String line : new String[] {"== coded", "progress 1 s", "progress 2 s", "evaluated", "done"}) {
            output.line(line);
        }
        output.clear();
    }

    /** Which may show one of the two: the other may be a file. */
    @Test
    void onATerminalProgressIsOneLineBesideTheResults() {
        print(new DriverOutput(new PrintWriter(console), new PrintWriter(err), true));

        assertThat(console.toString().lines()).containsExactly("== coded", "evaluated", "done");
        assertThat(err).hasToString("1 s\r\u001b[K2 s\r\u001b[K");
    }

    @Test
    void elsewhereProgressIsLinesBesideTheResults() {
        print(new DriverOutput(new PrintWriter(console), new PrintWriter(err), false));

        assertThat(console.toString().lines()).containsExactly("== coded", "evaluated", "done");
        assertThat(err.toString().lines()).containsExactly("1 s", "2 s");
    }

    @Test
    void theLastLineOfProgressIsRemoved() {
        DriverOutput output = new DriverOutput(new PrintWriter(console), new PrintWriter(err), true);
        output.line("progress 1 s");
        output.clear();

        assertThat(err).hasToString("1 s\r\u001b[K");
    }
}
