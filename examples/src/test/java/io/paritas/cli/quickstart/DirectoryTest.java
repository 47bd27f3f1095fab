/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTest {
    /** Bytes of a path on Linux, with the zero at its end. */
    private static final int LONGEST = 4096;

    @TempDir
    private Path home;

    @Test
    void hasFoldersForDaemons() throws IOException {
        Directory directory = Directory.createIn(home);
        assertThat(directory.state().resolve("webapps/datanode")).isDirectory();
        assertThat(directory.log4j()).isNotEmptyFile();
        directory.delete();
        assertThat(home).isEmptyDirectory();
    }

    /** As in a full temporary directory: here the paths of folders below become too long. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void leavesNothingWhereItCannotBeCompleted() throws IOException {
        Path parent = home;
        int wanted = LONGEST - "/paritas-quickstart-".length() - 26;
        while (parent.toString().length() < wanted) {
            int more = Math.min(200, wanted - parent.toString().length());
            parent = parent.resolve("d".repeat(Math.max(1, more - 1)));
        }
        Path full = Files.createDirectories(parent);
        assertThatThrownBy(() -> Directory.createIn(full)).isInstanceOf(IOException.class);
        assertThat(full).isEmptyDirectory();
    }
}
