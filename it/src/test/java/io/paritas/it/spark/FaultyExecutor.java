/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.inference.protect.BitFlip;
import io.paritas.inference.protect.FaultInjection;
import io.paritas.inference.protect.LayerProbes;
import io.paritas.inference.protect.gemm.Probe;
import java.io.Serializable;
import java.util.Iterator;
import java.util.Random;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/**
 * An executor whose processor computes wrong values: the rows that are to be predicted pass through this, in the tasks that
 * predict them, and in the JVM of that executor one bit of every layer is flipped from then on. In other executors nothing is.
 *
 * @param id of the executor
 * @param kind of the fault
 * @param seed of which values are wrong
 */
record FaultyExecutor(String id, Kind kind, long seed) implements MapPartitionsFunction<Row, Row>, Serializable {
    /** Makes any value another one by 2 at least, or infinite. */
    private static final int BIT = 30;

    private static final int OUTPUTS = 2;

    /** A fault. */
    enum Kind {
        /** Of a particle: computed once more, the layer is right. */
        PASSING,
        /** Of a defect: the layer is wrong again. */
        LASTING
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        if (SparkEnv.get().executorId().equals(id)) {
            FaultInjection.arm(new Wrong(kind, new Random(seed)));
        } else {
            FaultInjection.disarm();
        }
        return rows;
    }

    /** A layer is computed, and computed once more, by one thread. */
    private static final class Wrong implements LayerProbes {
        private final Kind kind;
        private final Random random;
        private final ThreadLocal<Boolean> again = ThreadLocal.withInitial(() -> false);

        Wrong(Kind kind, Random random) {
            this.kind = kind;
            this.random = random;
        }

        @Override
        public Probe of(int layer) {
            boolean right = kind == Kind.PASSING && again.get();
            again.set(!again.get());
            return right ? Probe.NONE : new BitFlip(layer, 0, random.nextInt(OUTPUTS), BIT).of(layer);
        }
    }
}
