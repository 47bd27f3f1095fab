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
        assertThat(LibraryFolder.isUsable(home)).isTrue();
        assertThat(LibraryFolder.isUsable(home.resolve("missing"))).isFalse();
    }

    @Test
    void whatIsPrivateIsDeletedWithAllThatIsInIt() throws Exception {
        Path folder = Files.createDirectory(home.resolve("private"));
        Files.writeString(Files.createDirectories(folder.resolve("jar/linux")).resolve("libtorch.so"), "library");

        LibraryFolder.delete(folder);

        assertThat(folder).doesNotExist();
    }
}
