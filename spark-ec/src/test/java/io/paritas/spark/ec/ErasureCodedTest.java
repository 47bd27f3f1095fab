/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.spark.ec.store.Health;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ErasureCodedTest {
    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate();
        spark.sparkContext().setLogLevel("WARN");
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    @Test
    void keepsTheRowsOfADataset() {
        Dataset<Row> rows = spark.range(0, 1000, 1, 10)
                .selectExpr("id", "id % 7 AS seven", "repeat(cast(id AS STRING), 10) AS text");
        Dataset<Row> kept = ErasureCoded.persist(rows, "rs-4-2");
        assertThat(kept.orderBy("id").collectAsList())
                .isEqualTo(rows.orderBy("id").collectAsList());
        assertThat(kept.filter("id > 990").groupBy("seven").count().count()).isEqualTo(7);
        Health health = ErasureCoded.health(kept);
        System.out.println(health);
        ErasureCoded.unpersist(kept);
    }

    @Test
    void keepsTheElementsOfAnRdd() {
        JavaRDD<String> elements =
                new JavaSparkContext(spark.sparkContext()).parallelize(List.of("a", "b", "c", "d"), 6);
        JavaRDD<String> kept = ErasureCoded.persist(elements, "xor-2");
        assertThat(kept.collect()).containsExactly("a", "b", "c", "d");
        kept.unpersist();
        assertThat(kept.collect()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void knowsItsCodes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ErasureCoded.persist(spark.range(1), "rs-4"))
                .withMessageContaining("got 'rs-4'");
    }
}
