/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Linux has a file whose disk is full, and one that cannot be read. */
@EnabledOnOs(OS.LINUX)
class DiskFilesTest {
    @TempDir
    private Path folder;

    private static FileSystem files(Class<? extends FileSystem> local) throws IOException {
        Configuration conf = new Configuration();
        conf.setClass("fs.file.impl", local, FileSystem.class);
        conf.setBoolean("fs.file.impl.disable.cache", true);
        return DiskFiles.of(new org.apache.hadoop.fs.Path("file:/"), conf);
    }

    private static void failsWith(String message, ThrowingCallable access) {
        assertThatIOException().isThrownBy(access).withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(classes = {RawLocalFileSystem.class, LocalFileSystem.class})
    void aDiskThatCannotBeReadIsAnIoException(Class<? extends FileSystem> local) throws IOException {
        byte[] bytes = new byte[9];
        try (FSDataInputStream in = files(local).open(new org.apache.hadoop.fs.Path("/proc/self/mem"))) {
            failsWith("Input/output error", in::read);
            failsWith("Input/output error", () -> in.read(bytes, 0, 9));
            failsWith("Input/output error", () -> in.readFully(0, bytes));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {FullDisk.class, FullDiskWithChecksums.class})
    void aFullDiskIsAnIoException(Class<? extends FileSystem> full) throws IOException {
        FileSystem files = files(full);
        org.apache.hadoop.fs.Path file =
                new org.apache.hadoop.fs.Path(folder.resolve("file").toUri());
        for (int length : new int[] {1, 1 << 20}) {
            failsWith("No space left on device", () -> {
                try (FSDataOutputStream out = files.create(file, true)) {
                    out.write(new byte[length]);
                }
            });
        }
    }

    static final class FullDisk extends RawLocalFileSystem {
        /** Appends: a file that is created gets the rights of a new one. */
        @Override
        protected OutputStream createOutputStreamWithMode(
                org.apache.hadoop.fs.Path file, boolean append, FsPermission permission) throws IOException {
            return super.createOutputStreamWithMode(new org.apache.hadoop.fs.Path("/dev/full"), true, null);
        }
    }

    static final class FullDiskWithChecksums extends LocalFileSystem {
        FullDiskWithChecksums() {
            super(new FullDisk());
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RawLocalFileSystem.class, LocalFileSystem.class})
    void filesAreThoseOfTheLocalOne(Class<? extends FileSystem> local) throws IOException {
        FileSystem files = files(local);
        FileSystem plain = ((DiskFiles) files).getRawFileSystem();
        org.apache.hadoop.fs.Path file =
                new org.apache.hadoop.fs.Path(folder.resolve("new/file").toUri());
        try (FSDataOutputStream out = files.create(file, false);
                FSDataOutputStream beside = plain.create(file.suffix("2"), false)) {
            out.write(new byte[] {1, 2, 3, 4});
            out.write(5);
            out.hflush();
            DurableFiles.sync(out);
            assertThat(out.hasCapability(StreamCapabilities.HSYNC))
                    .isEqualTo(beside.hasCapability(StreamCapabilities.HSYNC));
        }
        try (FSDataInputStream in = files.open(file)) {
            in.seek(3);
            assertThat(in.readAllBytes()).containsExactly(4, 5);
            byte[] middle = new byte[2];
            in.readFully(1, middle);
            assertThat(middle).containsExactly(2, 3);
            assertThat(in.getPos()).isEqualTo(5);
            in.seek(0);
            assertThat(in.read()).isEqualTo(1);
        }
        assertThat(files.getFileStatus(file).getPermission())
                .isEqualTo(plain.getFileStatus(file.suffix("2")).getPermission());
    }
}
