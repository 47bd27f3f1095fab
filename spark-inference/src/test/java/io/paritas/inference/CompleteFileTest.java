/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompleteFileTest {
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    @Test
    void makesFoldersAndReplacesFiles() throws Exception {
        Path file = folder.resolve("deep/file");
        CompleteFile.write(file, new byte[100]);
        CompleteFile.write(file, TEXT);
        assertThat(file).hasBinaryContent(TEXT);
        assertThat(file.getParent()).isDirectoryNotContaining("glob:**tmp");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeviceStaysADevice() throws Exception {
        // Through a link, because root could replace the device itself.
        Path link = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));
        CompleteFile.write(link, TEXT);
        assertThat(link).isSymbolicLink();
        assertThat(Files.isRegularFile(link)).isFalse();
        assertThat(folder).isDirectoryNotContaining("glob:**tmp");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskHasAName() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("full"), Path.of("/dev/full"));
        assertThatThrownBy(() -> CompleteFile.write(link, TEXT))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(link + ": No space left on device");
    }

    @Test
    void aLinkToAFolderIsAFolder() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("deep")));
        assertThat(CompleteFile.createFolder(link)).isSymbolicLink();
        CompleteFile.write(link.resolve("file"), TEXT);
        assertThat(folder.resolve("deep/file")).hasBinaryContent(TEXT);
    }

    @Test
    void aLinkStaysALink() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[1]);
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        CompleteFile.write(link, TEXT);
        assertThat(link).isSymbolicLink();
        assertThat(file).hasBinaryContent(TEXT);
    }

    @Test
    void aLinkMayLeadToAFileThatIsToBeWritten() throws Exception {
        Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("second"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), Path.of("deep/file"));
        CompleteFile.write(first, TEXT);
        assertThat(first).isSymbolicLink();
        assertThat(second).isSymbolicLink();
        assertThat(folder.resolve("deep/file")).hasBinaryContent(TEXT);

        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        assertThatThrownBy(() -> CompleteFile.write(loop, TEXT))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(loop + ": symbolic links lead in a circle");
    }

    @Test
    void anInterruptHasAName() {
        Path file = folder.resolve("file");
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> CompleteFile.write(file, TEXT))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessage(file + ": java.nio.channels.ClosedByInterruptException");
        } finally {
            Thread.interrupted();
        }
    }

    /** As a zip stream writes, which a checkpoint is. */
    @Test
    void smallPiecesAreWrittenTogether() throws Exception {
        Path file = folder.resolve("file");
        CompleteFile.write(file, out -> {
            for (byte letter : TEXT) {
                out.write(letter);
            }
            assertThat(folder.resolve("file.paritas-tmp")).isEmptyFile();
        });
        assertThat(file).hasBinaryContent(TEXT);
    }

    @Test
    void aLinkInThePlaceOfTheUnfinishedFileIsNotFollowed() throws Exception {
        Path other = Files.write(folder.resolve("other"), new byte[1]);
        Files.createSymbolicLink(folder.resolve("file.paritas-tmp"), other);
        Path file = folder.resolve("file");
        CompleteFile.write(file, TEXT);
        assertThat(other).hasBinaryContent(new byte[1]);
        assertThat(Files.isSymbolicLink(file)).isFalse();
        assertThat(file).hasBinaryContent(TEXT);
    }

    /** As of an editor, or of a user who has kept a former result. */
    @Test
    void aFileOfSomebodyElseStays() throws Exception {
        Path other = Files.write(folder.resolve("file.tmp"), new byte[1]);
        CompleteFile.write(folder.resolve("file"), TEXT);
        assertThat(other).hasBinaryContent(new byte[1]);
    }

    @Test
    void aLinkMayLeadToAFolderThatIsToBeMade() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("deep/folder"));
        assertThat(CompleteFile.createFolder(link)).isEqualTo(link).isSymbolicLink();
        assertThat(folder.resolve("deep/folder")).isEmptyDirectory();
    }

    /** The program that writes between two lines of its own. */
    static final class Main {
        public static void main(String[] arguments) throws Exception {
            System.out.println("before");
            CompleteFile.write(Path.of(arguments[0]), TEXT);
            System.out.println("after");
        }
    }

    /** It would lose what is in the log already, and what the program prints later. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @CsvSource({
        "/dev/stdout,     >> log,           earlier before textafter",
        "/proc/self/fd/1, >> log,           earlier before textafter",
        "/dev/stdout,     > log,            before textafter",
        "link,            > log,            before textafter",
        "/dev/stderr,     2>> log,          earlier text",
        "/dev/fd/3,       3>> log,          earlier text",
        "/dev/stdout,     | cat >> log,     earlier before textafter"
    })
    void aFileBehindAnOpenOneIsAddedTo(String name, String redirection, String content) throws Exception {
        Path log = Files.writeString(folder.resolve("log"), "earlier\n");
        Files.createSymbolicLink(folder.resolve("link"), Path.of("/dev/stdout"));
        write(name, redirection);
        assertThat(log).hasContent(content.replace(' ', '\n'));
        assertThat(folder.resolve("link")).isSymbolicLink();
    }

    /** It is a file as others, and would not be JSON any more if a result were added. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileBehindStandardInputIsReplaced() throws Exception {
        Path data = Files.writeString(folder.resolve("data"), "earlier\n");
        write("/dev/stdin", "< data");
        assertThat(data).hasContent("text");
    }

    private void write(String name, String redirection) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "\"$@\" " + redirection,
                        "sh",
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        name)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        // Java says on standard error that it has taken them.
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        assertThat(builder.start().waitFor()).isZero();
    }

    @Test
    void tellsBeforeTheWorkWhatCannotBeWritten() throws Exception {
        Path file = folder.resolve("file");
        CompleteFile.tryOut(file);
        CompleteFile.tryOut(folder.resolve("deep/file"));
        assertThat(folder).isEmptyDirectory();

        Path half = Files.write(folder.resolve("file.paritas-tmp"), TEXT);
        CompleteFile.tryOut(file);
        assertThat(half).hasBinaryContent(TEXT);

        Files.delete(half);
        Files.createDirectory(half);
        assertThatThrownBy(() -> CompleteFile.tryOut(file))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(half + ": a folder is in the place of the temporary file");

        Path longest = folder.resolve("n".repeat(250));
        assertThatThrownBy(() -> CompleteFile.tryOut(longest))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(longest + ".paritas-tmp: File name too long");
    }
}
