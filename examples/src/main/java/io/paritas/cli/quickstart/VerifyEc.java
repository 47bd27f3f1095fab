/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.util.ToolRunner;

/** Hadoop's own {@code hdfs debug verifyEC}: encodes all data units again and compares the parity units. */
final class VerifyEc {
    private static final String ALL_OK = "All EC block group status: OK";

    private VerifyEc() {}

    /** @throws CheckFailed if a block group is inconsistent */
    static void requireOk(Configuration settings, String file) throws Exception {
        String output = run(settings, "verifyEC", "-file", file);
        CheckFailed.require(
                output.contains(ALL_OK),
                "hdfs debug verifyEC says '%s' of a sound file; of %s it says:%n%s",
                ALL_OK,
                file,
                output.strip());
    }

    private static String run(Configuration settings, String... arguments) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (PrintStream capture = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(capture);
            System.setErr(capture);
            ToolRunner.run(new DebugAdmin(settings), arguments);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
