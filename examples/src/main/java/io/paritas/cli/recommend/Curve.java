/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The curve of a training.
 *
 * @param name of the training
 * @param points one for each interval
 * @param events by their times
 */
record Curve(String name, List<Point> points, List<Event> events) {
    private static final String HEADER = "seconds,samples,loss,samples_per_second,event";

    /** The end of an interval; the loss is NaN if nothing was committed. */
    record Point(double seconds, double loss, double samplesPerSecond) {}

    /** An event and its time. */
    record Event(double seconds, String text) {}

    static Curve read(String name, Path csv) throws IOException {
        List<String> lines = Files.readAllLines(csv);
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new IOException("a curve must begin with the line " + HEADER + ", " + csv + " does not");
        }
        List<Point> points = new ArrayList<>();
        List<Event> events = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", 5);
            double seconds = Double.parseDouble(fields[0]);
            if (fields[1].isEmpty()) {
                events.add(new Event(
                        seconds, fields[4].substring(1, fields[4].length() - 1).replace("\"\"", "\"")));
            } else {
                double loss = fields[2].isEmpty() ? Double.NaN : Double.parseDouble(fields[2]);
                points.add(new Point(seconds, loss, Double.parseDouble(fields[3])));
            }
        }
        return new Curve(name, points, events);
    }

    /** Returns the events that a plot marks: losses of servers and ends of recoveries. */
    List<Event> marks() {
        return events.stream()
                .filter(event -> event.text().startsWith("a server is lost")
                        || event.text().startsWith("all servers")
                        || event.text().matches("checkpoint \\d+ is written"))
                .toList();
    }
}
