/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Predicts rows without coding: each partition on its own. */
public final class PlainPrediction {
    private PlainPrediction() {}

    /** Returns the rows with their answers. */
    public static RDD<InternalRow> of(RDD<InternalRow> rows, PredictionPlan plan) {
        return rows.mapPartitionsInternal(new Answer(plan), false, ClassTag$.MODULE$.apply(InternalRow.class));
    }

    private static final class Answer
            implements SerializableFunction<
                    scala.collection.Iterator<InternalRow>, scala.collection.Iterator<InternalRow>> {
        private static final long serialVersionUID = 1;

        private final PredictionPlan plan;

        Answer(PredictionPlan plan) {
            this.plan = plan;
        }

        @Override
        public scala.collection.Iterator<InternalRow> apply(scala.collection.Iterator<InternalRow> rows) {
            TaskContext task = TaskContext.get();
            return CollectionConverters.asScala(
                    new FlattenedRows(() -> answers(rows, task), new RowWriter(plan.rows(), plan.metrics()), task));
        }

        private Iterator<AnsweredBatch> answers(scala.collection.Iterator<InternalRow> rows, TaskContext task) {
            Inference inference = new Inference(plan.deployed(), task, plan.metrics());
            PredictedBatches predicted = PredictedBatches.forUser(
                    new Batches(CollectionConverters.asJava(rows), plan.rows(), 0, 0, task),
                    inference,
                    PredictedBatches.Inputs.of(plan.rows().reader()),
                    plan.rows().onError());
            return AnsweredBatches.then(predicted, inference::close);
        }
    }
}
