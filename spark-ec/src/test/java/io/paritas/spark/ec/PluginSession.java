/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ParitasPlugin;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import scala.jdk.javaapi.CollectionConverters;

/** An application of its own for a test class, with the plugin; four tasks run at a time. */
public final class PluginSession implements BeforeAllCallback, AfterAllCallback {
    private final SparkSession.Builder builder;
    private SparkSession spark;

    public PluginSession() {
        this(builder().config("spark.plugins", ParitasPlugin.class.getName()));
    }

    private PluginSession(SparkSession.Builder builder) {
        this.builder = builder;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        spark = start(builder);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        spark.stop();
    }

    public static SparkSession.Builder builder() {
        return SparkSession.builder()
                .master("local[4]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.shuffle.io.maxRetries", "0")
                .config("spark.sql.scripting.enabled", "true") // it is off on Spark 4.0
                .config("spark.sql.shuffle.partitions", "4");
    }

    /** Without the plugin, and with Kryo as Spark's serialiser, which can write no record, and here no class that is not registered. */
    public static PluginSession kryo() {
        return new PluginSession(builder()
                .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .config("spark.kryo.registrationRequired", "true"));
    }

    /** With the plugin, and a driver that waits a second for an answer. */
    public static PluginSession impatient() {
        return new PluginSession(builder()
                .config("spark.plugins", ParitasPlugin.class.getName())
                .config("spark.rpc.askTimeout", "1s")
                .config("spark.cleaner.referenceTracking.blocking.timeout", "1s"));
    }

    /** Starts an application; one that still runs in this JVM ends. */
    public static SparkSession start(SparkSession.Builder builder) {
        org.apache.spark.sql.classic.SparkSession.getDefaultSession().foreach(session -> {
            session.stop();
            return null;
        });
        SparkSession spark = builder.getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        return spark;
    }

    public SparkSession spark() {
        return spark;
    }

    public Dataset<Row> sql(String query) {
        return spark.sql(query);
    }

    /** Returns when nobody has blocks of RDDs; fails if somebody keeps some. */
    public static void awaitNoBlocks() throws InterruptedException {
        for (int wait = 0; wait < 100 && storedBlocks() > 0; wait++) {
            Thread.sleep(100);
        }
        assertThat(storedBlocks()).isZero();
    }

    /** Blocks of RDDs that anybody has, as the driver knows. */
    public static long storedBlocks() {
        return CollectionConverters.asJava(
                        SparkEnv.get().blockManager().master().getMatchingBlockIds(BlockId::isRDD, true))
                .size();
    }
}
