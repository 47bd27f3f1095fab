/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.host;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.job.AttemptNumber;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.util.SerializableConfiguration;

/**
 * A task that is a candidate or a server until it is cancelled or its application ends. Its input is its number among
 * {@link ServerJobs}.
 */
final class ServerTask implements VoidFunction<Iterator<String>> {
    private static final long serialVersionUID = 1;

    private final ModelSpec model;
    private final HostOptions options;
    /** The driver's: that of executors has not what a program has set. */
    private final SerializableConfiguration hadoop;

    private final String driver;

    ServerTask(ModelSpec model, HostOptions options, SerializableConfiguration hadoop, String driver) {
        this.model = model;
        this.options = options;
        this.hadoop = hadoop;
        this.driver = driver;
    }

    @Override
    public void call(Iterator<String> number) throws InterruptedException {
        TaskContext context = TaskContext.get();
        SparkEnv environment = SparkEnv.get();
        int task = Integer.parseInt(number.next());
        int id = AttemptNumber.of(context);
        try (EventLoop loop = new EventLoop(
                "paritas-server-" + id,
                options.timing(),
                own -> new Candidate(model, options, hadoop.value(), Address.candidate(id), task, driver, own))) {
            // Spark kills no task of a local application that ends, and the JVM may go on with another one.
            while (!context.isInterrupted() && SparkEnv.get() == environment) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            context.killTaskIfInterrupted();
        }
    }
}
