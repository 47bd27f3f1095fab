/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErasureCodedCheckpointTest {
    @TempDir
    private Path home;

    private final SparkSession spark = LocalSpark.session();

    @Test
    void survivesLostUnitsOfEveryPartition() throws Exception {
        List<String> directories = IntStream.range(0, 9)
                .mapToObj(disk -> home.resolve("disk" + disk).toString())
                .toList();
        Dataset<Row> rows = spark.range(0, 20_000, 1, 3).selectExpr("id", "sha2(string(id), 512) AS text");
        ErasureCodedCheckpoint.write(rows, "6-3", directories);
        for (int lost : new int[] {1, 4, 8}) {
            for (Path unit : unitsIn(home.resolve("disk" + lost))) {
                Files.delete(unit);
            }
        }
        assertThat(ErasureCodedCheckpoint.read(spark, directories).collectAsList())
                .isEqualTo(rows.collectAsList());
        assertThat(ErasureCodedCheckpoint.verify(spark, directories)).hasSize(9);
        assertThat(ErasureCodedCheckpoint.repair(spark, directories)).hasSize(9);
        assertThat(ErasureCodedCheckpoint.verify(spark, directories)).isEmpty();
        ErasureCodedCheckpoint.write(rows.limit(10), "rs-3-2", directories, SaveMode.Overwrite);
        assertThat(ErasureCodedCheckpoint.read(spark, directories).count()).isEqualTo(10);
    }

    @Test
    void theElementsOfAnRddAreCheckpointedAsWell() throws Exception {
        List<String> directories = IntStream.range(0, 3)
                .mapToObj(disk -> home.resolve("disk" + disk).toString())
                .toList();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        ErasureCodedCheckpoint.write(context.parallelize(List.of("a", "b", "c"), 2), "xor-2", directories);
        JavaRDD<String> read = ErasureCodedCheckpoint.read(context, directories.subList(1, 3));
        assertThat(read.map(String::length).reduce(Integer::sum)).isEqualTo(3);
        ErasureCodedCheckpoint.write(read.map(text -> text + text), "rs-1-2", directories, SaveMode.Overwrite);
        assertThat(ErasureCodedCheckpoint.<String>read(context, directories).collect())
                .containsExactly("aa", "bb", "cc");
        assertThat(ErasureCodedCheckpoint.verify(spark, directories)).isEmpty();
    }

    @Test
    void codesAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ErasureCodedCheckpoint.write(spark.range(3), "rs-6", List.of(home.toString())))
                .withMessageStartingWith("a code must be K-R, paritas-K-R, ")
                .withMessageContaining("got 'rs-6'");
    }

    private static List<Path> unitsIn(Path directory) throws Exception {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".paritas")).toList();
        }
    }
}
