/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.PublicApi;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The course of a training. Immutable.
 *
 * @param points points of intervals of equal length, in order
 * @param events events in order
 * @param losses losses of all batches, in the order in which the driver learned of them; with one worker, that of the commits
 */
@PublicApi
public record TrainingCurve(List<Point> points, List<TrainingEvent> events, List<Float> losses) {
    /** The first line of {@link #toCsv}. */
    public static final String HEADER = "seconds,samples,loss,samples_per_second,event";

    /** Copies the lists. */
    public TrainingCurve {
        points = List.copyOf(points);
        events = List.copyOf(events);
        losses = FloatList.copyOf(losses);
    }

    /**
     * An interval.
     *
     * @param seconds end of the interval, since the training began
     * @param samples samples committed since the training began
     * @param loss mean loss of the samples of the interval; NaN if there are none
     * @param samplesPerSecond rate of commits in the interval
     */
    @PublicApi
    public record Point(double seconds, long samples, double loss, double samplesPerSecond) {}

    /** Returns lines ordered by time: one for each interval, and one for each event, which has a time and a text only, on one line. */
    public String toCsv() {
        record Line(double seconds, String text) {}
        List<Line> lines = new ArrayList<>();
        for (Point point : points) {
            String loss = Double.isNaN(point.loss()) ? "" : String.format(Locale.ROOT, "%.6f", point.loss());
            lines.add(new Line(
                    point.seconds(),
                    String.format(
                            Locale.ROOT,
                            "%.3f,%d,%s,%.1f,",
                            point.seconds(),
                            point.samples(),
                            loss,
                            point.samplesPerSecond())));
        }
        for (TrainingEvent event : events) {
            String text = event.text().replaceAll("\\s*\\R\\s*", " ").replace("\"", "\"\"");
            lines.add(new Line(event.seconds(), String.format(Locale.ROOT, "%.3f,,,,\"%s\"", event.seconds(), text)));
        }
        lines.sort(Comparator.comparingDouble(Line::seconds));
        StringBuilder csv = new StringBuilder(HEADER).append('\n');
        lines.forEach(line -> csv.append(line.text()).append('\n'));
        return csv.toString();
    }
}
