/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An application of its own for a test class, whose serialiser is Kryo: it can write no record, and here no class that is not
 * registered. Those of other classes start again.
 */
public final class KryoSession implements BeforeAllCallback, AfterAllCallback {
    private SparkSession spark;

    @Override
    public void beforeAll(ExtensionContext context) {
        org.apache.spark.sql.classic.SparkSession.getDefaultSession().foreach(session -> {
            session.stop();
            return null;
        });
        spark = LocalSession.builder()
                .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .config("spark.kryo.registrationRequired", "true")
                .getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        spark.stop();
    }

    public SparkSession spark() {
        return spark;
    }
}
