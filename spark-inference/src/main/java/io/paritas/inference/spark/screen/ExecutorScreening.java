/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.erasure.kernel.Processor;
import io.paritas.inference.ModelPool;
import io.paritas.inference.screen.Auditor;
import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Sampler;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An executor's side: a thread that sends batches which were picked, and predicts those of others, one at a time. */
final class ExecutorScreening implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorScreening.class);

    private final PluginContext context;
    private final ScreenMessage.Speaker self;
    private final Sampler sampler;
    private final Auditor auditor = new Auditor(ModelPool.shared());
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread created = new Thread(work, "paritas-screening");
        created.setDaemon(true);
        return created;
    });

    private ExecutorScreening(PluginContext context, ScreenSettings settings) {
        this.context = context;
        String host = SparkEnv.get().blockManager().blockManagerId().host(); // the context knows it on the driver only
        this.self = new ScreenMessage.Speaker(context.executorID(), host, Processor.MODEL);
        this.sampler = new Sampler(settings.share(), context.executorID().hashCode());
    }

    static ExecutorScreening start(PluginContext context, ScreenSettings settings) {
        ExecutorScreening screening = new ExecutorScreening(context, settings);
        screening.sampler.install();
        long nanos = settings.interval().toNanos();
        var unused = screening.thread.scheduleWithFixedDelay(screening::turn, nanos, nanos, TimeUnit.NANOSECONDS);
        return screening;
    }

    private void turn() {
        try {
            send();
            audit();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) { // the driver's plugin answers with whatever its side threw
            LOG.warn("Paritas: screening could not reach the driver: {}", e.toString());
        } catch (Error e) {
            LOG.error("Paritas: this executor is screened no more", e);
            close();
            throw e;
        }
    }

    private void send() throws Exception {
        for (Optional<Sample> sample = sampler.take(); sample.isPresent(); sample = sampler.take()) {
            context.send(new ScreenMessage.Predicted(self, sample.get()).encode());
        }
    }

    private void audit() throws Exception {
        boolean more = true;
        while (more) {
            ScreenMessage.Work work = ScreenMessage.Work.decode(context.ask(new ScreenMessage.Next(self).encode()));
            sampler.share(work.share());
            more = work.question().isPresent();
            if (more) {
                Jury.Question asked = work.question().get();
                Optional<float[]> outputs = auditor.predict(asked.model(), asked.fold(), asked.rows(), asked.inputs());
                context.send(new ScreenMessage.Answer(self, asked.id(), outputs).encode());
            }
        }
    }

    @Override
    public void close() {
        Sampler.uninstall();
        thread.shutdownNow();
    }
}
