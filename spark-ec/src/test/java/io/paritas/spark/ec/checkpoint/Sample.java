/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import io.paritas.spark.ec.LocalSpark;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;

/**
 * A checkpoint in local directories, for tests.
 *
 * @param home where the directories are, {@code d0} and so on
 * @param code its code
 * @param directories how many
 */
record Sample(Path home, CodeName code, int directories) {
    /** Bytes of a cell. */
    static final int CHUNK = 64;

    /** With a directory for each unit. */
    static Sample of(Path home, String code) {
        CodeName name = CodeName.parse(code);
        return new Sample(home, name, name.n());
    }

    /** Rows {@code id, text}, in 3 partitions. */
    static Dataset<Row> rows(int count) {
        return LocalSpark.session().range(0, count, 1, 3).selectExpr("id", "sha2(string(id), 256) AS text");
    }

    static Sample written(Path home, String code, Dataset<?> rows) throws IOException {
        Sample sample = of(home, code);
        sample.write(rows, SaveMode.ErrorIfExists);
        return sample;
    }

    void write(Dataset<?> rows, SaveMode mode) throws IOException {
        CheckpointWriter.of(LocalSpark.session(), code, new ChunkSize(CHUNK), names())
                .write(rows, mode);
    }

    Path directory(int number) {
        return home.resolve("d" + number);
    }

    List<String> names() {
        return IntStream.range(0, directories)
                .mapToObj(number -> directory(number).toString())
                .toList();
    }

    CheckpointReader reader() throws IOException {
        return CheckpointReader.of(LocalSpark.session(), names());
    }

    CheckpointRepair repair() throws IOException {
        return CheckpointRepair.of(LocalSpark.session(), names());
    }

    Manifest manifest() throws IOException {
        return reader().checkpoint().manifest();
    }

    /** Where a unit of a partition is. */
    Path unit(int part, int unit) throws IOException {
        Manifest manifest = manifest();
        return folder((unit + part) % directories)
                .resolve(manifest.parts().get(part).folder())
                .resolve(UnitGroup.fileName(unit));
    }

    UnitGroup group(int part) throws IOException {
        Manifest manifest = manifest();
        return manifest.layout(names()).group(manifest.parts().get(part));
    }

    /** The checkpoint's folder in a directory. */
    Path folder(int directory) throws IOException {
        return directory(directory).resolve("checkpoint-" + manifest().id());
    }

    /** Inverts a bit of each unit's chunk of a stripe. */
    void damage(int part, long stripe, int... units) throws IOException {
        for (int unit : units) {
            flip(unit(part, unit), group(part).chunkPosition(stripe));
        }
    }

    /** Inverts a bit. */
    static void flip(Path path, long position) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ 0x10);
        }
    }

    /** Deletes a file, or a folder and all that is in it. */
    static void delete(Path path) throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            all.sorted(Comparator.reverseOrder()).forEach(Sample::deleteOne);
        }
    }

    private static void deleteOne(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All files below the home, sorted. */
    List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(home)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> home.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    /** All folders of checkpoints, whatever is in them. */
    List<Path> folders() throws IOException {
        try (Stream<Path> all = Files.walk(home)) {
            return all.filter(file -> file.getFileName().toString().startsWith("checkpoint-"))
                    .toList();
        }
    }

    /** Checks that the checkpoint has these rows, in these partitions. */
    void check(Dataset<Row> rows) throws IOException {
        Dataset<Row> read = reader().rows(LocalSpark.session());
        assertThat(read.schema()).isEqualTo(rows.schema());
        assertThat(read.javaRDD().glom().collect())
                .isEqualTo(rows.javaRDD().glom().collect());
    }

    /** All sets of so many numbers below a limit. */
    static Stream<List<Integer>> subsets(int limit, int size) {
        return IntStream.range(0, 1 << limit)
                .filter(bits -> Integer.bitCount(bits) == size)
                .mapToObj(bits -> IntStream.range(0, limit)
                        .filter(bit -> (bits >> bit & 1) == 1)
                        .boxed()
                        .toList());
    }
}
