/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command line of {@code main}, which knows the named command only. */
class ParitasTest {
    @Test
    void knowsOneCommandIfThatIsNamedFirst() {
        assertThat(Paritas.commandLineFor("encode", "--help").getSubcommands()).containsOnlyKeys("encode");
    }

    @Test
    void knowsAllWhereNoneIsNamedFirst() {
        var all = Paritas.commandLine().getSubcommands().keySet();
        for (String[] arguments :
                new String[][] {{}, {"--help"}, {"--verbose", "encode"}, {"encod"}, {"help", "encode"}}) {
            assertThat(Paritas.commandLineFor(arguments).getSubcommands()).containsOnlyKeys(all);
        }
    }

    @Test
    void helpOfACommandIsWhatTheCommandPrints() {
        assertThat(printed("help", "encode"))
                .contains("\nUsage: paritas encode ")
                .isEqualTo(printed("encode", "--help"));
    }

    private static String printed(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine program = Paritas.commandLineFor(arguments).setOut(new PrintWriter(out));
        assertThat(program.execute(arguments)).isZero();
        return out.toString();
    }
}
