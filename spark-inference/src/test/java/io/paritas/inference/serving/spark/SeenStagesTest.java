/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.recommend.LocalSpark;
import java.nio.BufferOverflowException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class SeenStagesTest {
    @Test
    void whyATaskFailedIsKnown() throws Exception {
        SparkContext spark = LocalSpark.session().sparkContext();
        SeenStages seen = new SeenStages();
        spark.addSparkListener(seen);
        try {
            assertThatThrownBy(() -> JavaSparkContext.fromSparkContext(spark)
                            .parallelize(List.of(1), 1)
                            .foreach(value -> {
                                throw new IllegalStateException("the GPU is lost");
                            }))
                    .hasMessageContaining("the GPU is lost");
            spark.listenerBus().waitUntilEmpty();
        } finally {
            spark.removeSparkListener(seen);
        }
        assertThat(IntStream.range(0, 10_000).filter(seen::hasStarted).mapToObj(seen::failure))
                .singleElement()
                .isEqualTo(Optional.of("the GPU is lost"));
    }

    @Test
    void anExceptionWithoutAMessageIsNamed() {
        SeenStages stages = new SeenStages();
        stages.onTaskEnd(new SparkListenerTaskEnd(
                7,
                0,
                "ResultTask",
                new ExceptionFailure(
                        new BufferOverflowException(),
                        CollectionConverters.<AccumulableInfo>asScala(List.of()).toSeq()),
                null,
                null,
                null));
        assertThat(stages.failure(7)).contains("java.nio.BufferOverflowException");
    }
}
