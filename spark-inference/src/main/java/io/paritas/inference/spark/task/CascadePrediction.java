/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Predicts rows with a small model where it is sure, and with the deployed one elsewhere: each partition on its own. */
public final class CascadePrediction {
    private CascadePrediction() {}

    /**
     * The model before the deployed one.
     *
     * @param source the small model, with the same input and as many outputs
     * @param threshold least probability of its class
     */
    public record Small(ModelSource source, double threshold) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /** Returns the rows with their answers. */
    public static RDD<InternalRow> of(RDD<InternalRow> rows, PredictionPlan plan, Small small) {
        return rows.mapPartitionsInternal(new Answer(plan, small), false, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private static final class Answer
            implements SerializableFunction<
                    scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>> {
        private static final long serialVersionUID = 1;

        private final PredictionPlan plan;
        private final Small small;

        Answer(PredictionPlan plan, Small small) {
            this.plan = plan;
            this.small = small;
        }

        @Override
        public scala.collection.Iterator<InternalRow> apply(scala.collection.Iterator<InternalRow> rows) {
            TaskContext task = TaskContext.get();
            return CollectionConverters.asScala(
                    new FlattenedRows(() -> answers(rows, task), new RowWriter(plan.rows(), plan.metrics()), task));
        }

        private Iterator<AnsweredBatch> answers(scala.collection.Iterator<InternalRow> rows, TaskContext task) {
            Inference smaller = new Inference(small.source, task, plan.metrics());
            Inference larger = new Inference(plan.deployed(), task, plan.metrics());
            Batches batches = new Batches(CollectionConverters.asJava(rows), plan.rows(), 0, 0, task);
            CascadedBatches answered = new CascadedBatches(
                    PredictedBatches.dispensable(Batches.copied(batches), smaller, inputs()),
                    unsure -> PredictedBatches.forUser(
                            unsure, larger, inputs(), plan.rows().onError()),
                    small.threshold,
                    plan.rows(),
                    plan.metrics(),
                    task);
            Runnable end = () -> {
                smaller.close();
                larger.close();
                answered.close();
            };
            return AnsweredBatches.then(answered, end);
        }

        private PredictedBatches.Inputs inputs() {
            return PredictedBatches.Inputs.of(plan.rows().reader());
        }
    }
}
