/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Logged;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.spark.ExactModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instances start although Spark fails now and then. */
class DeploymentTest {
    /** Fails once, with an exception that no method declares, as Spark's. */
    private static final class Failing extends JavaSparkContext {
        private boolean failed;

        Failing(SparkContext context) {
            super(context);
        }

        @Override
        public void setJobGroup(String group, String description, boolean interrupts) {
            if (!failed) {
                failed = true;
                DeploymentTest.<RuntimeException>fail();
            }
            super.setJobGroup(group, description, interrupts);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void fail() throws E {
        throw (E) new SparkException("the block manager's master does not answer");
    }

    @Test
    void anInstanceThatDoesNotStartIsTriedAgainWhateverTheFailure(@TempDir Path folder) throws Exception {
        SparkContext context = LocalSpark.session().sparkContext();
        ServingPlan plan = plan(folder, 1);
        try (Logged logged = new Logged(Deployment.class.getName());
                FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(new Failing(context), frontEnd)) {
            deployment.deploy(plan);
            deployment.awaitReady(plan, Duration.ofSeconds(60));
            assertThat(logged.lines())
                    .containsExactly("WARN Paritas: an instance was not started: org.apache.spark.SparkException: the"
                            + " block manager's master does not answer");
        }
    }

    /** Never starts one instance. */
    private static final class Partial extends JavaSparkContext {
        Partial(SparkContext context) {
            super(context);
        }

        @Override
        public void setJobGroup(String group, String description, boolean interrupts) {
            if (group.endsWith("-deployed-0")) {
                DeploymentTest.<RuntimeException>fail();
            }
            super.setJobGroup(group, description, interrupts);
        }
    }

    @Test
    void anInstanceThatNeverStartsKeepsNoOtherWaiting(@TempDir Path folder) throws Exception {
        SparkContext context = LocalSpark.session().sparkContext();
        ServingPlan plan = plan(folder, 2);
        try (FrontEnd frontEnd = new FrontEnd();
                Deployment deployment = new Deployment(new Partial(context), frontEnd)) {
            deployment.deploy(plan);
            for (int wait = 0; wait < 600 && !deployment.answers(plan); wait++) {
                Thread.sleep(100);
            }
            assertThat(deployment.answers(plan)).isTrue();
            assertThat(deployment.isComplete(plan)).isFalse();
        }
    }

    /** Each start costs Spark work, and a line of the log. */
    @Test
    void anInstanceThatDoesNotStartIsNotTriedAgainAtOnce(@TempDir Path folder) throws Exception {
        JavaSparkContext context = new Partial(LocalSpark.session().sparkContext());
        ServingPlan plan = plan(folder, 1);
        InstanceSpec spec = new InstanceSpec(
                new ServingHandle(plan.served(), "127.0.0.1", 1),
                "linear-1-deployed-0",
                InstanceSpec.Duty.SERVE,
                Map.of(),
                context.broadcast(new byte[0]),
                TraceOptions.OFF);
        InstanceSupervisor instance = new InstanceSupervisor(
                context, spec, plan, new Placement(List::of, new HashMap<>(), OptionalInt.empty()), new SeenStages());
        instance.restore();

        int failures = 0;
        for (int i = 0; i < 1000; i++) {
            try {
                instance.keep();
            } catch (Throwable e) {
                failures++;
            }
        }

        assertThat(failures).isBetween(1, 500);
    }

    private static ServingPlan plan(Path folder, int instances) throws IOException {
        return ServingPlan.of(new SparkConf(false)
                .set(
                        ServingSettings.MODEL.key(),
                        ExactModel.of(3, 2, 1).write(folder).toString())
                .set(ServingSettings.NAME.key(), "linear")
                .set(ServingSettings.POLICY.key(), "none")
                .set(ServingSettings.INSTANCES.key(), String.valueOf(instances)));
    }
}
