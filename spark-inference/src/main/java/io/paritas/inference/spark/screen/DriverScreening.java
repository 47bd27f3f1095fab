/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.paritas.inference.screen.Difference;
import io.paritas.inference.screen.ErrorBudget;
import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.LayerScreen;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Verdict;
import io.paritas.spark.plugin.Report;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's side: the jury, what is thought of each executor, and what is done about it. Thread-safe. */
final class DriverScreening implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DriverScreening.class);

    /** An executor that has not been heard for as many intervals is not waited for. */
    private static final int PATIENCE = 6;

    /** Executors that are known: of more, those are forgotten that have left and were never wrong. */
    private static final int MOST_KNOWN = 1_000;

    private static final double MORE_OF_SUSPECTS = 100;

    /** Groups of served models that wait to be compared. */
    private static final int MOST_WAITING = 256;

    /** Groups of served models that are audited in an interval: if more do not fit, that tells no more. */
    private static final int MOST_SUSPECTS = 16;

    private static volatile Optional<DriverScreening> current = Optional.empty();

    private final ScreenSettings settings;
    private final Jury jury;
    private final Ledger ledger;
    private final FindingsFile findings;
    private final Exclusion exclusion;
    private final Removals removals;
    private final ScreeningReport report;
    private final LongAdder audited = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder groups = new LongAdder();
    private final LongAdder checked = new LongAdder();
    private final LongAdder misfits = new LongAdder();
    private final Suspects suspects = new Suspects();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Speakers speakers = new Speakers();
    private final LongAdder skipped = new LongAdder();
    private final RestingWorker comparing = new RestingWorker("paritas-screening-groups", MOST_WAITING);
    /* Touched by the thread that compares. */
    private long intervalBegan = System.nanoTime();
    private int suspectsOfInterval;

    DriverScreening(SparkContext spark, ScreenSettings settings) {
        this.settings = settings;
        this.jury = new Jury(settings.interval().multipliedBy(PATIENCE));
        this.findings = new FindingsFile(settings.report(), spark::applicationId);
        this.exclusion = new Exclusion(spark);
        this.ledger = new Ledger(ErrorBudget.perDay(settings.falseExclusions()));
        boolean replaced = spark.conf().getBoolean("spark.dynamicAllocation.enabled", false);
        this.removals = new Removals(
                ledger,
                jury,
                settings.exclude()
                        ? Optional.of(new ExclusionLimit(settings.exclusionsPerDay(), replaced, System::nanoTime))
                        : Optional.empty(),
                exclusion);
        this.report = new ScreeningReport(ledger, removals);
    }

    /** The screening of this JVM's application; empty if it is not screened. */
    static Optional<DriverScreening> current() {
        return current;
    }

    /** Makes it the screening of this JVM's application, until it is closed. */
    void install() {
        current = Optional.of(this);
    }

    /** Looks at answers of a served model, in a thread for that; drops them and counts that if too many wait. */
    void later(Runnable comparison) {
        if (!comparing.offer(comparison)) {
            skipped.increment();
        }
    }

    /** A group of a served model fits together: the answers of these executors were right. */
    void fits(List<String> executors) {
        groups.increment();
        executors.stream()
                .filter(executor -> speakers.of(executor).isPresent())
                .forEach(executor -> ledger.compared(1, Set.of(executor)));
    }

    /** A group of a served model does not fit together; returns whether its answers should be audited. */
    boolean misfit() {
        groups.increment();
        misfits.increment();
        long now = System.nanoTime();
        if (now - intervalBegan >= settings.interval().toNanos()) {
            intervalBegan = now;
            suspectsOfInterval = 0;
        }
        return suspectsOfInterval++ < MOST_SUSPECTS;
    }

    /** Whether an answer of a served model should be audited, by chance. */
    boolean picks() {
        return settings.mode().audits() && ThreadLocalRandom.current().nextDouble() < settings.share();
    }

    /** Has other executors predict what an executor has answered for a served model. Accuses nobody. */
    void audit(String executor, Sample answer) {
        speakers.of(executor)
                .filter(author -> jury.live().contains(executor))
                .ifPresent(author -> jury.submit(executor, author.platform(), answer));
    }

    /** Answers an executor. */
    Object receive(ScreenMessage message) {
        ScreenMessage.Speaker speaker = message.speaker();
        boolean isNew = ledger.join(speaker.executor(), speaker.host());
        jury.heard(speaker.executor(), speaker.host());
        if (isNew && ledger.size() > MOST_KNOWN) {
            forgetGone();
        }
        removals.heard(speaker.executor(), speaker.host());
        if (message instanceof ScreenMessage.Predicted predicted) {
            speakers.heard(speaker, predicted.sample().model());
            jury.submit(speaker.executor(), speaker.platform(), predicted.sample());
            return null;
        }
        if (message instanceof ScreenMessage.Answer answer) {
            speakers.heard(speaker, answer.model());
            jury.answer(answer.id(), speaker.executor(), speaker.platform(), answer.outputs())
                    .ifPresent(this::act);
            return null;
        }
        if (message instanceof ScreenMessage.Compared compared) {
            compared(compared.result());
            return null;
        }
        if (message instanceof ScreenMessage.Layers layers) {
            speakers.heard(speaker, layers.batch().model());
            layers(speaker.executor(), layers.batch());
            return null;
        }
        if (message instanceof ScreenMessage.Next next) {
            speakers.heard(speaker);
            ledger.compared(next.checked(), Set.of(speaker.executor()));
            checked.add(next.checked());
        }
        ScreenMessage.Work work = new ScreenMessage.Work(
                share(speaker.executor()), suspects.unseen(speaker.executor()), jury.next(speaker.executor()));
        if (jury.undecided() > 0 && !warned.getAndSet(true)) {
            LOG.warn("Paritas: executors predict batches differently, and it cannot be told which of them is right."
                    + " That takes three executors that have the model, and some predictions of it that they agree on");
        }
        return work.encode();
    }

    /* Where executors come and go, as with dynamic allocation, they would gather for as long as the driver runs. */
    private void forgetGone() {
        Set<String> gone = ledger.forgetSound(jury.involved());
        jury.forget(gone);
        suspects.forget(gone);
        speakers.forget(gone);
    }

    private void compared(RecentBatches.Compared result) {
        groups.add(result.groups());
        misfits.add(result.found());
        suspects.add(result.suspects());
        ledger.compared(result.batches(), jury.live());
    }

    private double share(String executor) {
        double usual = settings.mode().audits() ? settings.share() : 0;
        return ledger.isSuspect(executor) ? Math.min(1, MORE_OF_SUSPECTS * settings.share()) : usual;
    }

    private void act(Verdict verdict) {
        audited.increment();
        verdict.right().forEach(ledger::addRight);
        verdict.wrong().forEach((executor, difference) -> found(verdict, executor, difference));
    }

    private void found(Verdict verdict, String executor, Difference difference) {
        wrong.increment();
        Ledger.Entry entry = ledger.addWrong(executor);
        LOG.warn(
                "Paritas: executor {} on {} predicted {} values of {} rows wrongly, which {} predicted alike; {} of its {}"
                        + " audited batches were wrong",
                executor,
                place(executor, entry, verdict),
                difference.values(),
                difference.rows().size(),
                verdict.right(),
                entry.wrong(),
                entry.audited());
        removals.wrong(executor, entry);
        add(executor, entry, verdict, difference, List.of());
    }

    /** The model has told so itself, and has computed the layers again. */
    private void layers(String executor, LayerScreen.WrongBatch batch) {
        wrong.increment();
        Ledger.Entry entry = ledger.addWrong(executor);
        Verdict verdict = new Verdict(batch.model(), Reason.PROTECTION, Set.of(), Map.of());
        LOG.warn(
                "Paritas: executor {} on {} computed wrong values in {} for {} rows, which the checks of the model found",
                executor,
                place(executor, entry, verdict),
                batch.layers(),
                batch.rows());
        removals.wrong(executor, entry);
        add(executor, entry, verdict, Difference.NONE, batch.layers());
    }

    /** The host of an executor, and the GPUs there that predicted. */
    private String place(String executor, Ledger.Entry entry, Verdict verdict) {
        String gpus = speakers.gpus(executor, verdict.model());
        return gpus.isEmpty() ? entry.host() : entry.host() + " with " + gpus;
    }

    private void add(String executor, Ledger.Entry entry, Verdict verdict, Difference difference, List<String> layers) {
        Finding finding = new Finding(
                Instant.now(),
                executor,
                speakers.gpus(executor, verdict.model()),
                entry,
                verdict,
                difference,
                layers,
                removals.obstacle(executor));
        findings.add(finding);
        report.add(finding);
    }

    /** Tables of executors and hosts. */
    List<Report> reports() {
        return report.reports();
    }

    /** Registers the metrics {@code screening.*}. */
    void register(MetricRegistry registry) {
        registry.register("screening.auditedBatches", (Gauge<Long>) audited::sum);
        registry.register("screening.wrongBatches", (Gauge<Long>) wrong::sum);
        registry.register("screening.undecidedBatches", (Gauge<Long>) jury::undecided);
        registry.register("screening.unauditedBatches", (Gauge<Long>) jury::unaudited);
        registry.register("screening.comparedGroups", (Gauge<Long>) groups::sum);
        registry.register("screening.suspectGroups", (Gauge<Long>) misfits::sum);
        registry.register("screening.skippedGroups", (Gauge<Long>) skipped::sum);
        registry.register("screening.checkedBatches", (Gauge<Long>) checked::sum);
        registry.register("screening.faultyHosts", (Gauge<Integer>) removals::faultyHosts);
        registry.register("screening.faultyExecutors", (Gauge<Integer>) removals::faultyExecutors);
        registry.register("screening.endedExecutors", (Gauge<Integer>) removals::endedExecutors);
        registry.register("screening.keptExecutors", (Gauge<Integer>) removals::keptExecutors);
    }

    @Override
    public void close() {
        if (current.filter(this::equals).isPresent()) {
            current = Optional.empty();
        }
        comparing.close();
        exclusion.close();
    }
}
