/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryFolderTest {
    @TempDir
    private Path home;

    @Test
    void aHomeThatCanBeWrittenIsUsed() {
        Path folder = LibraryFolder.ofHome(home);
        assertThat(LibraryFolder.isUsable(folder)).isTrue();
        assertThat(folder).isDirectory();
    }

    @Test
    void othersAreNot() throws Exception {
        Path file = Files.createFile(home.resolve("file"));
        assertThat(LibraryFolder.isUsable(LibraryFolder.ofHome(file)))
                .as("under a file")
                .isFalse();
        assertThat(LibraryFolder.isUsable(LibraryFolder.ofHome(Path.of("?"))))
                .as("of a user without a home")
                .isFalse();
        assertThat(Path.of("?")).doesNotExist();
    }

    @Test
    void whatIsPrivateIsDeletedWithAllThatIsInIt() throws Exception {
        Path folder = Files.createDirectory(home.resolve("private"));
        Files.writeString(Files.createDirectories(folder.resolve("jar/linux")).resolve("libtorch.so"), "library");

        LibraryFolder.delete(folder);

        assertThat(folder).doesNotExist();
    }
}
