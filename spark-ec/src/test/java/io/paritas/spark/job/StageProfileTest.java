/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.LocalSpark;
import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ExecutorResourceRequests;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceProfile;
import org.apache.spark.resource.TaskResourceRequests;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;

class StageProfileTest {
    private static final ResourceProfile TWO_CORES = new ResourceProfileBuilder()
            .require(new ExecutorResourceRequests().cores(2))
            .require(new TaskResourceRequests().cpus(2))
            .build();

    /** Rows with a profile, which Spark refuses on one machine. */
    private static final class Profiled extends RDD<Integer> {
        private static final long serialVersionUID = 1;

        private final transient ResourceProfile profile;

        Profiled(RDD<Integer> rows, ResourceProfile profile) {
            super(rows, ClassTag$.MODULE$.apply(Integer.class));
            this.profile = profile;
        }

        @Override
        public ResourceProfile getResourceProfile() {
            return profile;
        }

        @Override
        public Partition[] getPartitions() {
            return firstParent(elementClassTag()).partitions();
        }

        @Override
        public Iterator<Integer> compute(Partition partition, TaskContext context) {
            throw new AssertionError("no job runs");
        }
    }

    private static JavaRDD<Integer> profiled(ResourceProfile profile) {
        RDD<Integer> rows = new JavaSparkContext(LocalSpark.session().sparkContext())
                .parallelize(List.of(1, 2, 3), 3)
                .rdd();
        return new Profiled(rows, profile).toJavaRDD();
    }

    @Test
    void aStageHasTheProfileOfAnyOfItsRdds() {
        JavaRDD<Integer> rows = profiled(TWO_CORES);

        assertThat(StageProfile.ofExecutors(rows.rdd())).containsSame(TWO_CORES);
        assertThat(StageProfile.ofExecutors(rows.map(row -> row + 1).union(rows).rdd()))
                .containsSame(TWO_CORES);
    }

    @Test
    void whatAShuffleReadsIsOfAnotherStage() {
        RDD<?> shuffled = profiled(TWO_CORES)
                .mapToPair(row -> new Tuple2<>(row, row))
                .groupByKey()
                .rdd();

        assertThat(StageProfile.ofExecutors(shuffled)).isEmpty();
    }

    @Test
    void aProfileOfTasksAloneIsForAllExecutors() {
        TaskResourceProfile tasks =
                new TaskResourceProfile(new TaskResourceRequests().cpus(2).requests());

        assertThat(StageProfile.ofExecutors(profiled(tasks).rdd())).isEmpty();
        assertThat(StageProfile.ofExecutors(profiled(null).rdd())).isEmpty();
    }
}
