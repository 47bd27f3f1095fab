/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.spark.ecrm.host.ParameterClient;
import io.paritas.spark.job.AttemptNumber;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.TaskCompletionListener;

/** Reads embedding rows from servers by their ids. Closes its client after the last one, as a task may read many partitions. */
final class ServedRows implements MapPartitionsFunction<Long, Row> {
    private static final long serialVersionUID = 1;
    /** Limit of rows in a request. */
    private static final int MOST = 2048;

    private final ServedState servers;
    private final int dimension;

    ServedRows(ServedState servers, int dimension) {
        this.servers = servers;
        this.dimension = dimension;
    }

    @Override
    public Iterator<Row> call(Iterator<Long> ids) throws InterruptedException {
        TaskContext context = TaskContext.get();
        ParameterClient client = servers.connect(AttemptNumber.of(context));
        context.addTaskCompletionListener((TaskCompletionListener) ended -> client.close());
        return new Iterator<>() {
            private Iterator<Row> pulled = Collections.emptyIterator();

            @Override
            public boolean hasNext() {
                if (pulled.hasNext() || ids.hasNext()) {
                    return true;
                }
                client.close();
                return false;
            }

            @Override
            public Row next() {
                if (!pulled.hasNext()) {
                    pulled = pull(client, ids);
                }
                return pulled.next();
            }
        };
    }

    private Iterator<Row> pull(ParameterClient client, Iterator<Long> ids) {
        long[] some = new long[MOST];
        int count = 0;
        while (count < MOST && ids.hasNext()) {
            some[count++] = ids.next();
        }
        long[] wanted = Arrays.copyOf(some, count);
        try {
            float[] rows = client.pullRows(TrainingPlan.EMBEDDINGS, wanted);
            return IntStream.range(0, count)
                    .mapToObj(i ->
                            RowFactory.create(wanted[i], Arrays.copyOfRange(rows, i * dimension, (i + 1) * dimension)))
                    .iterator();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while embedding rows were read", e);
        }
    }
}
