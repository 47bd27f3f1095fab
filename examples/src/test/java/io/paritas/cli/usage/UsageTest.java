/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.usage;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

class UsageTest {
    private final Usage usage = new Usage(new CommandLine(CommandSpec.create()).getCommandSpec());

    @TempDir
    private Path folder;

    @Test
    void filesMustBeThereAndPipesAreFiles() throws Exception {
        usage.requireFile("--model", null);
        usage.requireFile("--model", Files.createFile(folder.resolve("base.onnx")));
        Path pipe = folder.resolve("pipe");
        new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor();
        usage.requireFile("--model", pipe);

        for (Path none : new Path[] {folder, folder.resolve("none")}) {
            assertThatThrownBy(() -> usage.requireFile("--model", none))
                    .isInstanceOf(ParameterException.class)
                    .hasMessage("--model must be a file, there is none at " + none + ": name another one");
        }
    }
}
