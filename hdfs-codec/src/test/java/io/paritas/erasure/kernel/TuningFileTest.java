/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.kernel.Schedule.Optimisation;
import io.paritas.erasure.kernel.Schedule.TimesX;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuningFileTest {
    private static final Schedule SCHEDULE = new Schedule(TimesX.CLAMP, Optimisation.TERNARY, 2, 4, 3072);
    private static final Schedule OTHER = new Schedule(TimesX.COMPARE, Optimisation.NONE, 1, 16, 65536);
    private static final TuningFile.Key KEY = key("A CPU, 512-bit vectors, JDK 17", 6, 3, 72);

    @TempDir
    private Path folder;

    private static TuningFile.Key key(String machine, int inputs, int outputs, int bits) {
        return new TuningFile.Key(machine, inputs, outputs, TuningFile.Part.UNITS, bits);
    }

    private static Optional<Schedule> find(TuningFile file, TuningFile.Key key) {
        return file.find(key, Schedule::parse);
    }

    private Path path() {
        return folder.resolve("new").resolve("tuning.txt");
    }

    @Test
    void itsFolderMayBeALink() throws IOException {
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        new TuningFile(link.resolve("tuning.txt")).put(KEY, SCHEDULE.toString());
        assertThat(find(new TuningFile(real.resolve("tuning.txt")), KEY)).contains(SCHEDULE);
    }

    /** As of an editor. */
    @Test
    void aFileOfSomebodyElseStays() throws IOException {
        Path other = Files.writeString(folder.resolve("tuning.txt.tmp"), "mine");
        new TuningFile(folder.resolve("tuning.txt")).put(KEY, SCHEDULE.toString());
        assertThat(other).hasContent("mine");
    }

    @Test
    void keepsSchedules() throws IOException {
        TuningFile file = new TuningFile(path());
        assertThat(find(file, KEY)).isEmpty();
        file.put(KEY, OTHER.toString());
        file.put(KEY, SCHEDULE.toString());
        assertThat(find(new TuningFile(path()), KEY)).contains(SCHEDULE);
        assertThat(Files.readAllLines(path()))
                .hasSize(2)
                .contains("A CPU, 512-bit vectors, JDK 17 | 6 to 3 units, 72 bits |"
                        + " timesX=clamp optimisation=ternary vectors=2 outputs=4 tile=3072");
    }

    @Test
    void servesTheMostSimilarProgramOfTheSameShapeAndMachine() throws IOException {
        TuningFile file = new TuningFile(path());
        file.put(KEY, SCHEDULE.toString());
        file.put(key(KEY.machine(), 6, 3, 24), OTHER.toString());
        assertThat(find(file, key(KEY.machine(), 6, 3, 70))).contains(SCHEDULE);
        assertThat(find(file, key(KEY.machine(), 6, 3, 30))).contains(OTHER);
        assertThat(find(file, key(KEY.machine(), 6, 2, 72))).isEmpty();
        assertThat(find(file, key("A CPU, 512-bit vectors, JDK 25", 6, 3, 72))).isEmpty();
    }

    @Test
    void unitsAndStripsAreNotTheSame() throws IOException {
        TuningFile file = new TuningFile(path());
        file.put(KEY, SCHEDULE.toString());
        TuningFile.Key strips = new TuningFile.Key(KEY.machine(), 6, 3, TuningFile.Part.STRIPS, 72);
        assertThat(find(file, strips)).isEmpty();
        file.put(strips, OTHER.toString());
        assertThat(find(file, strips)).contains(OTHER);
        assertThat(find(file, KEY)).contains(SCHEDULE);
    }

    @Test
    void skipsDamagedLinesAndKeepsTheOthers() throws IOException {
        TuningFile file = new TuningFile(path());
        file.put(KEY, SCHEDULE.toString());
        String good = Files.readString(path());
        for (String damage : List.of(
                "rubbish",
                KEY.machine() + " | 6 to 3 units, 72 bits | timesX=clamp",
                KEY.machine() + " | 6 to 3 units, 72 bits | " + OTHER.toString().replace("65536", "65537"),
                KEY.machine() + " | 6 to 3 units, 72 bits | " + OTHER.toString().replace("vectors=1", "vectors=999"),
                KEY.machine() + " | 6 to 3 units, 72 bits | " + OTHER.toString().replace("compare", "guess"),
                KEY.machine() + " | 6 to 3 units, 99999999999 bits | " + OTHER)) {
            Files.writeString(path(), damage + "\n" + good);
            assertThat(find(file, KEY)).as(damage).contains(SCHEDULE);
        }
        Files.writeString(path(), good.substring(0, good.length() - 10));
        assertThat(find(file, KEY)).as("cut off").isEmpty();
    }

    @Test
    void anUnreadableFileIsAsGoodAsNone() throws IOException {
        Files.createDirectories(path().getParent());
        Files.write(path(), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1, 2});
        assertThat(find(new TuningFile(path()), KEY)).isEmpty();
        assertThat(find(new TuningFile(folder), KEY)).as("a folder").isEmpty();
        new TuningFile(path()).put(KEY, SCHEDULE.toString());
        assertThat(find(new TuningFile(path()), KEY)).contains(SCHEDULE);
    }

    /** Daemons run as other users than the one who tuned. */
    @Test
    void othersMayReadItAsTheUmaskSays() throws IOException {
        new TuningFile(path()).put(KEY, SCHEDULE.toString());
        Path any = Files.createFile(folder.resolve("any"));
        assertThat(Files.getPosixFilePermissions(path())).isEqualTo(Files.getPosixFilePermissions(any));
    }

    /** Three processes write at the same time; nothing is lost. */
    @Test
    void processesTakeTurns() throws IOException, InterruptedException {
        List<Process> writers = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            writers.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Writer.class.getName(),
                            path().toString(),
                            "writer " + writer)
                    .inheritIO()
                    .start());
        }
        for (Process writer : writers) {
            assertThat(writer.waitFor()).isZero();
        }
        for (int writer = 0; writer < 3; writer++) {
            for (int i = 1; i <= Writer.ENTRIES; i++) {
                assertThat(find(new TuningFile(path()), key("writer " + writer, i, 1, 8)))
                        .contains(SCHEDULE);
            }
        }
    }

    /** The main class of a writing process. */
    static final class Writer {
        static final int ENTRIES = 20;

        private Writer() {}

        public static void main(String[] args) throws IOException {
            for (int i = 1; i <= ENTRIES; i++) {
                new TuningFile(Path.of(args[0])).put(key(args[1], i, 1, 8), SCHEDULE.toString());
            }
        }
    }

    @Test
    void refusesWhatIsNoSchedule() {
        assertThatThrownBy(() -> new Schedule(TimesX.CLAMP, Optimisation.NONE, 5, 1, 1024))
                .hasMessage("vectors must be 1 to 4, got 5");
        assertThatThrownBy(() -> new Schedule(TimesX.CLAMP, Optimisation.NONE, 3, 1, 1024))
                .hasMessage("vectors must be a power of two and tile a multiple of 1024, got vectors = 3, tile = 1024");
        assertThatThrownBy(() -> Schedule.parse("timesX=clamp"))
                .hasMessage("a schedule must have the fields timesX, optimisation, vectors, outputs, tile, got"
                        + " 'timesX=clamp'");
    }
}
