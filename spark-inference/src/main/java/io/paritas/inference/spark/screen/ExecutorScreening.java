/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.Hardware;
import io.paritas.inference.ModelPool;
import io.paritas.inference.screen.Auditor;
import io.paritas.inference.screen.CodedUnits;
import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.LayerScreen;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Sampler;
import io.paritas.inference.screen.Screens;
import io.paritas.inference.screen.StackScreen;
import io.paritas.inference.screen.Suspect;
import io.paritas.spark.ec.audit.CodedSlices;
import io.paritas.spark.job.DaemonThreads;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An executor's side: a thread that sends batches which were picked, and predicts those of others, one at a time. */
final class ExecutorScreening implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorScreening.class);

    /** Of batches whose groups may turn out not to fit together. */
    private static final long RECENT_BYTES = 32 << 20;

    /** A check of a stack costs less than an audit. */
    private static final double MORE_STACKS = 10;

    private final PluginContext context;
    private final String host;
    private final Screens screens;
    private final ModelPool models = ModelPool.shared();
    private final Auditor auditor = new Auditor(models);
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("paritas-screening"));

    private ExecutorScreening(PluginContext context, ScreenSettings settings) {
        this.context = context;
        String address = address(context);
        this.host = MachineName.of(context.conf().get("spark.master", ""), address);
        if (!host.equals(address)) {
            LOG.info("Paritas: screening calls the node of this executor, which has the address {}, {}", address, host);
        }
        Sampler sampler = new Sampler(
                settings.mode().audits() ? settings.share() : 0,
                context.executorID().hashCode());
        double checked = settings.mode().folds() ? Math.min(1, MORE_STACKS * settings.share()) : 0;
        this.screens = new Screens(
                sampler,
                new RecentBatches(settings.mode().residuals() ? RECENT_BYTES : 0),
                new StackScreen(checked, context.executorID().hashCode() + 1L, sampler),
                new LayerScreen());
    }

    /** The context knows it on the driver only. A driver that runs tasks itself has no block manager yet. */
    private static String address(PluginContext context) {
        BlockManagerId own = SparkEnv.get().blockManager().blockManagerId();
        return own == null ? context.conf().get("spark.driver.host") : own.host();
    }

    static ExecutorScreening start(PluginContext context, ScreenSettings settings) {
        ExecutorScreening screening = new ExecutorScreening(context, settings);
        screening.screens.install();
        new CodedSlices(
                        settings.mode().audits() ? settings.share() : 0,
                        context.executorID().hashCode() + 2L,
                        slice -> screening.screens.sampler().add(CodedUnits.sample(slice)))
                .install();
        long nanos = settings.interval().toNanos();
        var unused = screening.thread.scheduleWithFixedDelay(screening::turn, nanos, nanos, TimeUnit.NANOSECONDS);
        return screening;
    }

    /** Speaks of all that is loaded. */
    private ScreenMessage.Speaker self() {
        return speaker(models.hardware());
    }

    /** Speaks of a model. What is coded has none, and processors compute it. */
    private ScreenMessage.Speaker self(String model) {
        return speaker(models.hardware(model));
    }

    private ScreenMessage.Speaker speaker(Set<Hardware> hardware) {
        Set<Hardware> all = hardware.isEmpty() ? Set.of(Hardware.PROCESSOR) : hardware;
        return new ScreenMessage.Speaker(
                context.executorID(), host, join(all, Hardware::kind), join(all, Hardware::gpu));
    }

    private static String join(Set<Hardware> hardware, Function<Hardware, String> what) {
        return hardware.stream()
                .map(what)
                .filter(word -> !word.isEmpty())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private void turn() {
        try {
            send();
            compared();
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
        Sampler sampler = screens.sampler();
        for (Optional<Sample> sample = sampler.take(); sample.isPresent(); sample = sampler.take()) {
            context.send(new ScreenMessage.Predicted(self(sample.get().model()), sample.get()).encode());
        }
    }

    private void compared() throws Exception {
        for (LayerScreen.WrongBatch batch : screens.layers().takeWrong()) {
            context.send(new ScreenMessage.Layers(self(batch.model()), batch).encode());
        }
        RecentBatches.Compared result = screens.recent().take();
        if (result.groups() > 0) {
            context.send(new ScreenMessage.Compared(self(), result).encode());
        }
    }

    private void audit() throws Exception {
        boolean more = true;
        while (more) {
            ScreenMessage.Work work = ScreenMessage.Work.decode(context.ask(new ScreenMessage.Next(
                            self(), screens.stacks().take() + screens.layers().takeRight())
                    .encode()));
            screens.sampler().share(work.share());
            for (Suspect suspect : work.suspects()) {
                for (Sample sample : screens.recent().of(suspect)) {
                    context.send(new ScreenMessage.Predicted(self(sample.model()), sample).encode());
                }
            }
            more = work.question().isPresent();
            if (more) {
                Jury.Question asked = work.question().get();
                Optional<float[]> outputs = auditor.predict(asked.model(), asked.fold(), asked.rows(), asked.inputs());
                context.send(
                        new ScreenMessage.Answer(self(asked.model()), asked.id(), asked.model(), outputs).encode());
            }
        }
    }

    @Override
    public void close() {
        Screens.none().install();
        CodedSlices.uninstall();
        thread.shutdownNow();
    }
}
