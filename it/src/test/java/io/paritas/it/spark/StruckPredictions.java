/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF1;
import scala.collection.Seq;

/** A function for predictions, which are whole numbers: it hands them on, and hits the tasks in which it is called for the first time. */
final class StruckPredictions implements UDF1<Seq<Float>, float[]> {
    private static final long serialVersionUID = 1;

    private final Faults faults;
    /* Tasks have copies of their own. */
    private transient boolean called;

    StruckPredictions(Faults faults) {
        this.faults = faults;
    }

    @Override
    public float[] call(Seq<Float> prediction) throws Exception {
        TaskContext task = TaskContext.get();
        if (!called && task != null) {
            called = true;
            var fault = faults.of(task);
            if (fault.isPresent()) {
                fault.get().strike();
            }
        }
        float[] whole = new float[prediction.length()];
        for (int i = 0; i < whole.length; i++) {
            whole[i] = Math.round(prediction.apply(i));
        }
        return whole;
    }
}
