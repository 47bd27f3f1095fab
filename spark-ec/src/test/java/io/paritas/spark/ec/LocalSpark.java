/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import org.apache.spark.sql.SparkSession;

/** The Spark that the tests of this JVM share. */
public final class LocalSpark {
    private LocalSpark() {}

    public static SparkSession session() {
        SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate();
        spark.sparkContext().setLogLevel("OFF");
        return spark;
    }
}
