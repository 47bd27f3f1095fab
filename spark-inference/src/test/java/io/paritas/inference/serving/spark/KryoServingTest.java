/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.spark.ExactModel;
import io.paritas.inference.spark.KryoSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Serving does not depend on Spark's serialiser. */
class KryoServingTest {
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    @RegisterExtension
    static final KryoSession KRYO = new KryoSession();

    @Test
    void instancesAnswerTheDriverAndTasks(@TempDir Path folder) throws Exception {
        MODEL.parity(2, 1, Map.of()).write(folder);
        Files.writeString(
                folder.resolve(WarmUp.FILE),
                "{\"inputs\":[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1,2,3]}]}");
        ServingPlan plan = ServingPlan.of(new SparkConf(false)
                .set(ServingSettings.MODEL.key(), MODEL.write(folder).toString())
                .set(ServingSettings.NAME.key(), "linear")
                .set(ServingSettings.INSTANCES.key(), "2"));
        JavaSparkContext context = new JavaSparkContext(KRYO.spark().sparkContext());
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(context, frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, Duration.ofMinutes(1));
            frontEnd.promote("linear", plan.served().version());
            float[] expected = MODEL.predict(new float[] {1, 2, 3});

            assertThat(frontEnd.predict("linear", "", "", List.of(new float[] {1, 2, 3}), Duration.ofMinutes(1))
                            .get(0)
                            .join()
                            .values())
                    .isEqualTo(expected);

            ServingHandle handle = deployment.handle(plan);
            List<Float> values = context.parallelize(List.of(1), 1)
                    .mapPartitions(rows -> ask(handle, rows))
                    .collect();
            assertThat(values).containsExactly(expected[0], expected[1]);
        }
    }

    private static Iterator<Float> ask(ServingHandle handle, Iterator<Integer> rows) {
        rows.next();
        CodedClient client = CodedClient.open(handle);
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> client.close());
        float[] values = client.predict("", List.of(new float[] {1, 2, 3}).iterator(), 1)
                .next()
                .values();
        return Stream.of(values[0], values[1]).iterator();
    }
}
