/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {

    @Test
    void aDriverHasTheOptionsThatItsSettingsName() {
        assertThat(Installation.driverOptions(Map.of("spark.driver.extraJavaOptions", " -XX:+UseG1GC  -Da=b ")))
                .containsExactly("-XX:+UseG1GC", "-Da=b");
        assertThat(Installation.driverOptions(Map.of("spark.driver.extraJavaOptions", "")))
                .isEmpty();
    }

    @Test
    void otherDriversAreLight() {
        assertThat(Installation.driverOptions(Map.of()))
                .containsExactly(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:CompileThresholdScaling=5",
                        "-XX:-UsePerfData");
    }

    @Test
    void tablesAreInItsFolder(@TempDir Path folder) {
        Path path = folder.resolve("my clusters 100%");
        Installation installation = new Installation(path, new SparkHome(path.resolve("home")), "secret");

        assertThat(new org.apache.hadoop.fs.Path(installation.warehouse())
                        .toUri()
                        .getPath())
                .isEqualTo(path.resolve("warehouse").toString());
    }

    /** Spark splits options at blanks that are not between quotes; there, a backslash takes the next character as it is. */
    @Test
    void executorsHaveTheirTemporaryFilesInItsFolderWhateverItsName(@TempDir Path folder) {
        Path path = folder.resolve("it's my \"$HOME\" \\ \u00fc");
        Installation installation = new Installation(path, new SparkHome(path.resolve("home")), "secret");

        assertThat(installation.settings())
                .containsEntry(
                        "spark.executor.defaultJavaOptions",
                        "\"-Djava.io.tmpdir=" + folder + "/it's my \\\"$HOME\\\" \\\\ \u00fc/temporary\"");
    }

    /** As on a full disk, which is why the logs are wanted. */
    @Test
    void whatIsDeletedIsGoneEvenIfItsLogsCannotBeCopied(@TempDir Path folder) throws Exception {
        Path path = Files.createDirectory(folder.resolve("cluster"));
        Path log = Files.createFile(Files.createDirectory(path.resolve("logs")).resolve("master.log"));
        Path inTheWay = Files.createFile(folder.resolve("file"));
        Installation installation = new Installation(path, new SparkHome(path.resolve("home")), "secret");

        assertThatThrownBy(() -> installation.delete(Optional.of(inTheWay)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("cannot copy the logs of " + log.getParent() + " to " + inTheWay.resolve("cluster"));
        assertThat(path).doesNotExist();
    }

    /** The tests run without the class path of Spark that {@code bin/paritas} names. */
    @Test
    void whatCannotBeInstalledLeavesNothing(@TempDir Path folder) {
        assertThatThrownBy(() -> Installation.create(folder))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the class path of Spark must be named by -Dparitas.spark.classpath=PATH");
        assertThat(folder).isEmptyDirectory();
    }
}
