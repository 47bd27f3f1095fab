/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.Main;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an encode leaves behind if it is stopped: a real process, on a file that takes a while. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class KilledEncodeTest {
    private static final long FILE_LENGTH = 64L << 30;
    private static final long UNDER_WAY = 1 << 20;

    @TempDir
    private Path home;

    @Test
    void aKilledEncodeLeavesNoUnits() throws Exception {
        Process process = encodeUntilUnderWay();
        process.destroyForcibly().waitFor();
        assertThat(Sample.names(home.resolve("units"))).isNotEmpty().allMatch(name -> name.endsWith(".tmp"));
    }

    @Test
    void anInterruptedEncodeLeavesNothing() throws Exception {
        Process process = encodeUntilUnderWay();
        process.destroy();
        process.waitFor();
        assertThat(home.resolve("units")).doesNotExist();
    }

    @Test
    void anInterruptedEncodeLeavesAFolderThatWasThere() throws Exception {
        Path units = Files.createDirectory(home.resolve("units"));
        Process process = encodeUntilUnderWay();
        process.destroy();
        process.waitFor();
        assertThat(units).isEmptyDirectory();
    }

    private Process encodeUntilUnderWay() throws Exception {
        Path file = home.resolve("file");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(FILE_LENGTH);
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "encode",
                        file.toString(),
                        "--out",
                        home.resolve("units").toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile())
                .start();
        while (!underWay() && process.isAlive()) {
            Thread.sleep(10);
        }
        assertThat(process.isAlive()).as(Files.readString(home.resolve("log"))).isTrue();
        return process;
    }

    private boolean underWay() throws IOException {
        File[] units = home.resolve("units").toFile().listFiles();
        return units != null && units.length == 9 && units[0].length() > UNDER_WAY;
    }
}
