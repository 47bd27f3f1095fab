/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class TemporaryFilesTest {

    @Test
    void theFileIsGoneWhenTheWorkIsDone() {
        Path done = TemporaryFiles.named("model.pt", file -> Files.writeString(file, "content"));
        assertThat(done).hasFileName("model.pt").doesNotExist();
        assertThat(done.getParent()).doesNotExist();
        Path unused = TemporaryFiles.named("model.pt", file -> file);
        assertThat(unused.getParent()).doesNotExist();
    }

    @Test
    void theFileIsGoneWhenTheWorkFails() {
        Path[] seen = new Path[1];
        assertThatThrownBy(() -> TemporaryFiles.named("model.pt", file -> {
                    seen[0] = Files.writeString(file, "content");
                    throw new IOException("no space left");
                }))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("LibTorch needs a temporary file in the folder of java.io.tmpdir: no space left");
        assertThat(seen[0].getParent()).doesNotExist();
    }

    /** A message that is only a path would be taken for one of a file that the user has named. */
    @Test
    void aFileThatIsMissingIsToldOfAsSuch() {
        assertThatThrownBy(() -> TemporaryFiles.named("model.pt", Files::readAllBytes))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageMatching("LibTorch needs a temporary file in the folder of java.io.tmpdir:"
                        + " java.nio.file.NoSuchFileException: .*/paritas-torch\\d+/model.pt")
                .cause()
                .isExactlyInstanceOf(IOException.class);
    }

    @Test
    void whatThereIsNoRoomForIsNotBegun() {
        assertThatThrownBy(() -> TemporaryFiles.named("model.pt", Long.MAX_VALUE, file -> Files.createFile(file)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageMatching("LibTorch needs a temporary file in the folder of java.io.tmpdir:"
                        + " it needs 8796093022208 MiB in .*/paritas-torch\\d+, which has \\d+");
    }

    @Test
    void onlyItsOwnerCanReadIt() {
        assumeTrue(
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
                "skipped: this system has no POSIX permissions");
        String permissions = TemporaryFiles.named(
                "model.pt", file -> PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        assertThat(permissions).isEqualTo("rwx------");
    }
}
