/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints work whatever {@code spark.serializer} is. */
class KryoCheckpointTest {
    @RegisterExtension
    static final PluginSession SESSION = PluginSession.kryo();

    @TempDir
    private Path home;

    private List<String> directories() {
        return Stream.of("a", "b", "c")
                .map(name -> home.resolve(name).toString())
                .toList();
    }

    @Test
    void writesReadsAndRepairsRows() throws Exception {
        Dataset<Row> rows = SESSION.spark().range(0, 100, 1, 4).selectExpr("id", "id || ' rows' AS text");
        ErasureCodedCheckpoint.write(rows, "rs-2-1", directories());
        deleteUnits(home.resolve("a"));

        assertThat(ErasureCodedCheckpoint.read(SESSION.spark(), directories()).count())
                .isEqualTo(100);
        assertThat(ErasureCodedCheckpoint.repair(SESSION.spark(), directories()))
                .hasSize(4);
        assertThat(ErasureCodedCheckpoint.verify(SESSION.spark(), directories()))
                .isEmpty();
    }

    @Test
    void writesAndReadsElements() throws Exception {
        JavaSparkContext context = new JavaSparkContext(SESSION.spark().sparkContext());
        ErasureCodedCheckpoint.write(context.parallelize(List.of("x", "y", "z"), 2), "rs-2-1", directories());

        JavaRDD<String> read = ErasureCodedCheckpoint.read(context, directories());

        assertThat(read.collect()).containsExactly("x", "y", "z");
    }

    private static void deleteUnits(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path unit : files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("manifest.json"))
                    .toList()) {
                Files.delete(unit);
            }
        }
    }
}
