/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.paritas.inference.Logged;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryFolderTest {
    @TempDir
    private Path home;

    @Test
    void aHomeThatCanBeWrittenIsUsed() {
        File folder = LibraryFolder.ofHome(home.toFile());
        assertThat(LibraryFolder.isUsable(folder)).isTrue();
        assertThat(folder).isDirectory();
    }

    @Test
    void othersAreNot() throws Exception {
        File file = Files.createFile(home.resolve("file")).toFile();
        assertThat(LibraryFolder.isUsable(LibraryFolder.ofHome(file)))
                .as("under a file")
                .isFalse();
        assertThat(LibraryFolder.isUsable(LibraryFolder.ofHome(new File("?"))))
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

    /** A process without a umask would make it so that it is refused from then on. */
    @Test
    void oneThatIsMadeIsNotForAllUsersToWriteTo() throws Exception {
        Process java = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "umask 000; exec \"$@\"",
                        "sh",
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        home.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(java.getInputStream().readAllBytes())
                .asString(StandardCharsets.UTF_8)
                .endsWith("usable: true\n");
        assertThat(java.waitFor()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                        LibraryFolder.ofHome(home.toFile()).toPath())))
                .isEqualTo("rwxr-xr-x");
    }

    static final class Main {
        public static void main(String[] arguments) {
            System.out.println("usable: " + LibraryFolder.isUsable(LibraryFolder.ofHome(new File(arguments[0]))));
        }
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

    /** A private one costs 450 MB and the time to unpack them in each process, also where nobody has named a folder. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFolderThatIsNotUsedIsToldOf(boolean named) throws Exception {
        Path folder =
                Files.createDirectories(LibraryFolder.ofHome(home.toFile()).toPath());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertToldOf(named, named ? folder.toString() : home.toString(), folder.toString());
    }

    /** As a name with a letter that the locale lacks. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFolderThatHasNoPathIsToldOf(boolean named) throws Exception {
        assertToldOf(named, "/\0", named ? "/\0" : "/\0/.javacpp/cache");
    }

    private static void assertToldOf(boolean named, String value, String folder) throws Exception {
        String cache = "org.bytedeco.javacpp.cachedir";
        Properties before = (Properties) System.getProperties().clone();
        Path instead;
        try (Logged log = new Logged(LibraryFolder.class.getName())) {
            System.clearProperty(cache);
            System.setProperty(named ? cache : "user.home", value);

            LibraryFolder.choose();

            instead = Path.of(System.getProperty(cache));
            assertThat(log.lines())
                    .containsExactly("WARN Paritas: LibTorch's libraries, 450 MB, are unpacked into " + instead
                            + ", for this process only: " + folder
                            + " is no folder of this user or root that this process"
                            + " can read, write and enter, and that not all users may write to; name one by -D" + cache
                            + "=DIR");
        } finally {
            System.setProperties(before);
        }
        assertThat(instead).isEmptyDirectory();
    }

    @Test
    void whatIsPrivateIsDeletedWithAllThatIsInIt() throws Exception {
        Path folder = Files.createDirectory(home.resolve("private"));
        Files.writeString(Files.createDirectories(folder.resolve("jar/linux")).resolve("libtorch.so"), "library");

        LibraryFolder.delete(folder);

        assertThat(folder).doesNotExist();
    }
}
