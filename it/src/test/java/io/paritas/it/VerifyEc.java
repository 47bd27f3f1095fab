/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.util.ToolRunner;

/** The command {@code hdfs debug verifyEC}, which encodes a file again and compares the parity. */
final class VerifyEc {
    private VerifyEc() {}

    /** The command says that all of the file's groups are in order. */
    static void assertOk(Configuration conf, Path file) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = run(conf, file, new PrintStream(said, true, StandardCharsets.UTF_8));
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("All EC block group status: OK");
        assertThat(status).as("exit status").isZero();
    }

    private static int run(Configuration conf, Path file, PrintStream out) throws Exception {
        PrintStream console = System.out;
        PrintStream errors = System.err;
        System.setOut(out);
        System.setErr(out);
        try {
            return ToolRunner.run(conf, new DebugAdmin(conf), new String[] {"verifyEC", "-file", file.toString()});
        } finally {
            System.setOut(console);
            System.setErr(errors);
        }
    }
}
