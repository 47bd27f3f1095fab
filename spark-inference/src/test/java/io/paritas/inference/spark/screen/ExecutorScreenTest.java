/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExecutorScreenTest {
    private SparkContext spark;

    @BeforeEach
    void start() {
        org.apache.spark.sql.classic.SparkSession.getDefaultSession().foreach(session -> {
            session.stop();
            return null;
        });
        spark = new SparkContext(new SparkConf(false)
                .setMaster("local[2]")
                .setAppName("screen")
                .set("spark.driver.host", "localhost")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false")
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .set("spark.kryo.registrationRequired", "true"));
    }

    @AfterEach
    void stop() {
        spark.stop();
    }

    /* Kryo can write no record, and here no class that is not registered. */
    @Test
    void whatIsFoundDoesNotDependOnSparksSerialiser() {
        assertThat(ExecutorScreen.run(spark, Duration.ofMillis(50)))
                .singleElement()
                .satisfies(screened -> {
                    assertThat(screened.executor()).isEqualTo("driver");
                    assertThat(screened.processors()).isNotEmpty();
                });
    }
}
