/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
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

    /** A library that they put there would run in this process. */
    @Test
    void oneThatOthersMayWriteToIsNot() throws Exception {
        Path folder = Files.createDirectory(home.resolve("cache"));

        for (String permissions : List.of("rwxrwxrwx", "rwxr-x-w-")) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
            assertThat(LibraryFolder.isUsable(folder)).as(permissions).isFalse();
        }
        for (String permissions : List.of("rwxrwxr-x", "rwx------")) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
            assertThat(LibraryFolder.isUsable(folder)).as(permissions).isTrue();
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** Only root can make one. */
    @Test
    void oneOfAnotherUserIsNot() throws Exception {
        Path folder = Files.createDirectory(home.resolve("cache"));
        assumeThat(Files.getOwner(folder).getName()).isEqualTo("root");
        Files.setOwner(
                folder, folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertThat(LibraryFolder.isUsable(folder)).isFalse();
    }

    @Test
    void whatIsPrivateIsDeletedWithAllThatIsInIt() throws Exception {
        Path folder = Files.createDirectory(home.resolve("private"));
        Files.writeString(Files.createDirectories(folder.resolve("jar/linux")).resolve("libtorch.so"), "library");

        LibraryFolder.delete(folder);

        assertThat(folder).doesNotExist();
    }
}
