/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.LocalSpark;
import io.paritas.spark.ec.WatchedFiles;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FolderProbeTest {
    private static final JavaSparkContext SPARK =
            JavaSparkContext.fromSparkContext(LocalSpark.session().sparkContext());

    @TempDir
    private Path home;

    @Test
    void aFolderThatAllMayWriteStaysAsItIs() throws IOException {
        FolderProbe.run(SPARK, home.resolve("new/folder").toUri().toString());
        assertThat(home).isEmptyDirectory();
        Files.createFile(Files.createDirectory(home.resolve("old")).resolve("file"));
        FolderProbe.run(SPARK, home.resolve("old").toUri().toString());
        assertThat(home.resolve("old").toFile().list()).containsExactly("file");
    }

    @Test
    void whatTheDriverCannotWriteIsRefused() throws IOException {
        String folder = Files.createFile(home.resolve("file")).toUri() + "/below";
        assertThatThrownBy(() -> FolderProbe.run(SPARK, folder))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("checkpoints must be written into " + folder
                        + " by the driver and all executors, the driver cannot: ");
        assertThat(home.toFile().list()).containsExactly("file");
    }

    /** Nothing is wrong with the folder. */
    @Test
    void anInterruptIsNoRefusal() {
        InterruptedIOException interrupt = new InterruptedIOException("Call interrupted");
        WatchedFiles.watch(SPARK.hadoopConfiguration(), (what, path) -> {
            if (what.equals("create")) {
                throw interrupt;
            }
            return true;
        });
        assertThatThrownBy(() -> FolderProbe.run(SPARK, "watched:" + home.resolve("new")))
                .isSameAs(interrupt);
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void whatAnExecutorMayNotWriteIsRefused() {
        WatchedFiles.watch(
                SPARK.hadoopConfiguration(), (what, path) -> !what.equals("create") || TaskContext.get() == null);
        assertThatThrownBy(() -> FolderProbe.run(SPARK, "watched:" + home.resolve("new")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("checkpoints must be written into watched:" + home.resolve("new")
                        + " by the driver and all executors, executor driver on localhost cannot: java.io.IOException:"
                        + " nobody may create ")
                .hasMessageEndingWith(": name a folder that they share and may write");
        assertThat(home).isEmptyDirectory();
    }

    /** Hadoop throws an error, not an exception, where a local disk is full. Linux has a file whose disk always is. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @CsvSource({"driver, the driver", "0, executor driver on localhost"})
    void aFullDiskIsRefused(String file, String who) {
        WatchedFiles.watch(SPARK.hadoopConfiguration(), (what, path) -> {
            if (what.equals("create") && path.getName().equals(file)) {
                WatchedFiles.writeToAFullDisk();
            }
            return true;
        });
        assertThatThrownBy(() -> FolderProbe.run(SPARK, "watched:" + home.resolve("new")))
                .isInstanceOf(IOException.class)
                .hasMessage("checkpoints must be written into watched:" + home.resolve("new")
                        + " by the driver and all executors, " + who + " cannot: java.io.IOException: No space left on"
                        + " device: name a folder that they share and may write");
        assertThat(home).isEmptyDirectory();
    }

    /** As a folder of another machine. */
    @Test
    void whatAnExecutorDoesNotShareIsRefused() {
        SPARK.hadoopConfiguration().setClass("fs.apart.impl", FilesApart.class, FileSystem.class);
        assertThatThrownBy(() -> FolderProbe.run(SPARK, "apart:" + home.resolve("new")))
                .isInstanceOf(IOException.class)
                .hasMessage("checkpoints must be written into apart:" + home.resolve("new")
                        + " by the driver and all executors, executor driver on localhost does not see what the driver has"
                        + " written there: name a folder that they share and may write");
        assertThat(home).isEmptyDirectory();
    }

    /** Files that are in another folder for tasks. */
    static final class FilesApart extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("apart:///");
        }

        @Override
        public File pathToFile(org.apache.hadoop.fs.Path path) {
            File file = super.pathToFile(path);
            return TaskContext.get() == null
                    ? file
                    : new File(file.getParentFile().getParentFile(), "elsewhere");
        }
    }
}
