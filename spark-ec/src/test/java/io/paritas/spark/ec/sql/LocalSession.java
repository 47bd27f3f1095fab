/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.spark.ec.settings.EcSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A session for a test class, on the Spark context that the classes of this JVM share. It finds the functions by itself. */
final class LocalSession implements BeforeAllCallback, BeforeEachCallback {
    private static final List<String> CHANGED = List.of(
            EcSettings.ON_ERROR.key(),
            "spark.sql.codegen.wholeStage",
            "spark.sql.codegen.factoryMode",
            "spark.sql.objectHashAggregate.sortBased.fallbackThreshold");

    private SparkSession spark;

    @Override
    public void beforeAll(ExtensionContext context) {
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.scripting.enabled", "true") // it is off on Spark 4.0
                .getOrCreate()
                .newSession();
        spark.conf().set("spark.sql.shuffle.partitions", "2");
        spark.sparkContext().setLogLevel("ERROR");
    }

    /** Settings do not outlive a test. */
    @Override
    public void beforeEach(ExtensionContext context) {
        CHANGED.forEach(spark.conf()::unset);
    }

    SparkSession spark() {
        return spark;
    }

    void set(String key, String value) {
        spark.conf().set(key, value);
    }

    Dataset<Row> sql(String query) {
        return spark.sql(query);
    }

    /** The only value of a query. */
    Object value(String query) {
        return sql(query).collectAsList().get(0).get(0);
    }

    /** A view {@code t} of an id and binary data, in two partitions; data may be null. */
    void rows(byte[]... data) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < data.length; i++) {
            rows.add(RowFactory.create((long) i, data[i]));
        }
        spark.createDataFrame(rows, StructType.fromDDL("id long, data binary"))
                .repartition(2)
                .createOrReplaceTempView("t");
    }

    /** Bytes that are the same for the same seed. */
    static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Bytes in SQL. */
    static String literal(byte[] bytes) {
        return bytes == null ? "CAST(NULL AS BINARY)" : "X'" + HexFormat.of().formatHex(bytes) + "'";
    }

    /** An array of bytes in SQL. */
    static String literal(byte[]... units) {
        return Arrays.stream(units).map(LocalSession::literal).collect(Collectors.joining(", ", "array(", ")"));
    }
}
