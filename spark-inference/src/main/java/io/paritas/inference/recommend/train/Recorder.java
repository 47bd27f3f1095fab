/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.train.TrainingMetrics.BatchFigures;
import io.paritas.inference.recommend.train.TrainingMetrics.ServerFigures;
import io.paritas.spark.ecrm.host.ServerState;
import io.paritas.spark.ecrm.protocol.Iteration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects the curve and the figures of a training. Times are in nanoseconds since it began. Thread-safe. */
final class Recorder {
    private static final double SECOND = 1e9;

    private final long interval;
    private final long[] updated;
    private final List<TrainingCurve.Point> points = new ArrayList<>();
    private final List<TrainingEvent> events = new ArrayList<>();
    private final Floats losses = new Floats();
    private final Floats commits = new Floats();
    /** Samples of the current interval. */
    private long samplesOfInterval;

    private double lossOfInterval;
    private double lastLoss = Double.NaN;
    private long samples;
    private long tries;
    private long pull;
    private long compute;
    private long first = Long.MAX_VALUE;
    private long last;

    /** @param interval length of the curve's intervals */
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

    /** Ends the intervals until now; returns how many there are. */
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

    synchronized TrainingProgress progress(ServerState servers) {
        TrainingCurve.Point point =
                points.isEmpty() ? new TrainingCurve.Point(0, 0, Double.NaN, 0) : points.get(points.size() - 1);
        return new TrainingProgress(point.seconds(), point.samples(), lastLoss, point.samplesPerSecond(), servers);
    }

    synchronized int batches() {
        return losses.size();
    }

    synchronized TrainingCurve curve() {
        return new TrainingCurve(points, events, losses.toList());
    }

    /**
     * @param difference bytes that an update adds to a row and its state
     * @param parities parities of a row
     * @param replaced servers that were lost and replaced
     */
    synchronized TrainingMetrics metrics(long difference, int parities, int replaced) {
        long batches = losses.size();
        long updates = Arrays.stream(updated).sum();
        return new TrainingMetrics(
                Math.max(0, last - first) / SECOND,
                samples,
                batches,
                new BatchFigures(
                        pull / 1e6 / batches,
                        compute / 1e6 / batches,
                        commits.quantile(0.5),
                        commits.quantile(0.99),
                        tries / (double) batches),
                new ServerFigures(
                        updates / (1 + parities) * parities * difference,
                        Arrays.stream(updated).boxed().toList(),
                        replaced));
    }
}
