/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend;

import io.paritas.spark.ParitasPlugin;
import org.apache.spark.sql.SparkSession;

/** The Spark that the tests of this JVM share. It has the plugin, because tests of predictions may come after. */
public final class LocalSpark {
    private LocalSpark() {}

    public static SparkSession session() {
        SparkSession spark = SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "4")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.plugins", ParitasPlugin.class.getName())
                .getOrCreate();
        spark.sparkContext().setLogLevel("OFF");
        return spark;
    }
}
