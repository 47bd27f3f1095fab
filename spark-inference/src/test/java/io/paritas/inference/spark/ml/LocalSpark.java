/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.ml;

import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.Normalization;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.spark.ParitasPlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** A session in the JVM of the tests, to be stopped behind each class, and small datasets. */
final class LocalSpark {
    private LocalSpark() {}

    /** The session; a new one if there is none. */
    static SparkSession session() {
        SparkSession session = SparkSession.builder()
                .master("local[2]")
                .appName("tests of Spark ML stages")
                .config("spark.plugins", ParitasPlugin.class.getName())
                // On a busy machine tasks are late, and parity models of one epoch do not know much.
                .config(CodedSettings.PATIENCE.key(), 1_000_000)
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", 2)
                .getOrCreate();
        session.sparkContext().setLogLevel("WARN");
        return session;
    }

    static void stop() {
        session().stop();
    }

    /** Images as arrays of floats, {@code features}, with their classes, {@code label}. */
    static Dataset<Row> digits(ImageSet images) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < images.size(); i++) {
            float[] values = new float[images.imageSize()];
            images.toFloats(i, Normalization.NONE, values, 0);
            rows.add(RowFactory.create(values, images.label(i)));
        }
        return session()
                .createDataFrame(rows, StructType.fromDDL("features array<float>, label int"))
                .coalesce(1);
    }

    /** What the params of a stage are, by name. */
    static Map<String, Object> values(Params stage) {
        Map<String, Object> values = new TreeMap<>();
        for (Param<?> param : stage.params()) {
            if (stage.isDefined(param)) {
                Object value = stage.getOrDefault(param);
                values.put(param.name(), value instanceof String[] strings ? List.of(strings) : value);
            }
        }
        return values;
    }
}
