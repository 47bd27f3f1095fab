/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.train;

import io.paritas.spark.ecrm.protocol.Iteration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keeps what a training's curve and its figures are made of. Times are in nanoseconds since it began. Thread-safe. */
final class Recorder {
    private static final double SECOND = 1e9;

    private final long interval;
    private final long[] updated;
    private final List<TrainingCurve.Point> points = new ArrayList<>();
    private final List<TrainingEvent> events = new ArrayList<>();
    private final Floats losses = new Floats();
    private final Floats commits = new Floats();
    /** Of the interval that has not ended. */
    private long samplesOfInterval;

    private double lossOfInterval;
    private double lastLoss = Double.NaN;
    private long samples;
    private long tries;
    private long pull;
    private long compute;
    private long first = Long.MAX_VALUE;
    private long last;

    /** @param interval of the curve's points */
    Recorder(int servers, long interval) {
        this.interval = interval;
        this.updated = new long[servers];
    }

    synchronized void add(Iteration iteration, long now) {
        endIntervals(now);
        losses.add(iteration.loss());
        commits.add((float) (iteration.commit() / 1e6));
        samples += iteration.samples();
        samplesOfInterval += iteration.samples();
        lossOfInterval += (double) iteration.loss() * iteration.samples();
        tries += iteration.tries();
        pull += iteration.pull();
        compute += iteration.compute();
        for (int server = 0; server < updated.length; server++) {
            updated[server] += iteration.updated()[server];
        }
        first = Math.min(first, now - iteration.pull() - iteration.compute() - iteration.commit());
        last = now;
    }

    synchronized TrainingEvent event(TrainingEvent.Kind kind, String text, long now) {
        TrainingEvent event = new TrainingEvent(now / SECOND, kind, text);
        events.add(event);
        return event;
    }

    /** How many intervals have ended. */
    synchronized int endIntervals(long now) {
        while (now >= (points.size() + 1) * interval) {
            double loss = samplesOfInterval == 0 ? Double.NaN : lossOfInterval / samplesOfInterval;
            lastLoss = samplesOfInterval == 0 ? lastLoss : loss;
            points.add(new TrainingCurve.Point(
                    (points.size() + 1) * interval / SECOND, samples, loss, samplesOfInterval / (interval / SECOND)));
            samplesOfInterval = 0;
            lossOfInterval = 0;
        }
        return points.size();
    }

    synchronized TrainingProgress progress(List<String> executors, boolean healthy, double recovered) {
        TrainingCurve.Point point =
                points.isEmpty() ? new TrainingCurve.Point(0, 0, Double.NaN, 0) : points.get(points.size() - 1);
        return new TrainingProgress(
                point.seconds(), point.samples(), lastLoss, point.samplesPerSecond(), executors, healthy, recovered);
    }

    synchronized int batches() {
        return losses.size();
    }

    synchronized TrainingCurve curve() {
        return new TrainingCurve(points, events, losses.toList());
    }

    /**
     * @param difference bytes of what an update adds to a row and its state
     * @param parities of a row
     */
    synchronized TrainingMetrics metrics(long difference, int parities, int replaced) {
        long batches = losses.size();
        long updates = Arrays.stream(updated).sum();
        return new TrainingMetrics(
                Math.max(0, last - first) / SECOND,
                samples,
                batches,
                pull / 1e6 / batches,
                compute / 1e6 / batches,
                commits.quantile(0.5),
                commits.quantile(0.99),
                tries / (double) batches,
                updates / (1 + parities) * parities * difference,
                Arrays.stream(updated).boxed().toList(),
                replaced);
    }
}
