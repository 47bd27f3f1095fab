/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Suspicion;
import io.paritas.spark.plugin.Report;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What is thought of each executor and each host, as tables for Spark's UI, the worst first. Thread-safe. */
final class ScreeningReport {
    private static final List<String> COUNTS = List.of("Audited", "Compared or checked", "Wrong");

    private final Ledger ledger;
    private final Removals removals;
    private final Map<String, Finding> last = new ConcurrentHashMap<>();

    /** What an executor or a host is; the worst is last. */
    private enum State {
        CLEAR,
        SUSPECT,
        /** It would be excluded if the settings wanted it. */
        FAULTY,
        EXCLUDED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** An executor's line. */
    private record Line(
            String executor, Ledger.Entry entry, State state, Optional<String> obstacle, Optional<Finding> last) {
        String time() {
            return last.map(finding -> text(finding.time())).orElse("");
        }
    }

    ScreeningReport(Ledger ledger, Removals removals) {
        this.ledger = ledger;
        this.removals = removals;
    }

    /** Remembers an executor's last wrong batch. */
    void add(Finding finding) {
        last.put(finding.executor(), finding);
    }

    /** The tables. */
    List<Report> reports() {
        // Read the other way round than they are written: what is told of an executor is in its numbers.
        Map<String, Finding> found = Map.copyOf(last);
        Map<String, String> obstacles = removals.obstacles();
        List<Line> lines = new ArrayList<>();
        ledger.entries().forEach((executor, entry) -> {
            Optional<String> obstacle = Optional.ofNullable(obstacles.get(executor));
            State state = state(executor, entry, obstacle.isPresent());
            lines.add(new Line(executor, entry, state, obstacle, Optional.ofNullable(found.get(executor))));
        });
        lines.sort(Comparator.comparing(Line::state).reversed());
        return List.of(executors(lines), hosts(lines));
    }

    private State state(String executor, Ledger.Entry entry, boolean isKept) {
        if (removals.isEnded(executor)) {
            return State.EXCLUDED;
        }
        if (isKept || entry.suspicion() == Suspicion.SUSPECT) {
            return State.SUSPECT;
        }
        return entry.suspicion() == Suspicion.FAULTY ? State.FAULTY : State.CLEAR;
    }

    private Report executors(List<Line> lines) {
        return new Report(
                "Screened executors",
                columns(
                        List.of("Executor", "Host", "State"),
                        COUNTS,
                        List.of(
                                "Times likelier faulty than sound",
                                "Faulty from",
                                "Last wrong",
                                "GPUs that were",
                                "Bits or layers that were wrong then",
                                "Why it is not excluded")),
                lines.stream()
                        .map(line -> List.of(
                                line.executor,
                                line.entry.host(),
                                line.state.word(),
                                String.valueOf(line.entry.audited()),
                                String.valueOf(line.entry.compared()),
                                String.valueOf(line.entry.wrong()),
                                power(line.entry.evidence()),
                                power(line.entry.needed()),
                                line.time(),
                                line.last.map(Finding::gpus).orElse(""),
                                line.last.map(ScreeningReport::what).orElse(""),
                                line.obstacle.orElse("")))
                        .toList());
    }

    private Report hosts(List<Line> lines) {
        Map<String, List<Line>> hosts = new TreeMap<>();
        lines.forEach(line -> hosts.computeIfAbsent(line.entry.host(), absent -> new ArrayList<>())
                .add(line));
        return new Report(
                "Screened hosts",
                columns(
                        List.of("Host", "State", "Executors so far", "of which excluded"),
                        COUNTS,
                        List.of("Last wrong")),
                hosts.entrySet().stream()
                        .map(host -> host(host.getKey(), host.getValue()))
                        .toList());
    }

    private List<String> host(String name, List<Line> lines) {
        State worst =
                lines.stream().map(Line::state).max(Comparator.naturalOrder()).orElseThrow();
        State host = worst == State.CLEAR ? State.CLEAR : State.SUSPECT;
        if (removals.isFaultyHost(name)) {
            host = worst == State.EXCLUDED ? State.EXCLUDED : State.FAULTY;
        }
        return List.of(
                name,
                host.word(),
                String.valueOf(lines.size()),
                String.valueOf(lines.stream()
                        .filter(line -> line.state == State.EXCLUDED)
                        .count()),
                String.valueOf(
                        lines.stream().mapToLong(line -> line.entry.audited()).sum()),
                String.valueOf(
                        lines.stream().mapToLong(line -> line.entry.compared()).sum()),
                String.valueOf(
                        lines.stream().mapToLong(line -> line.entry.wrong()).sum()),
                lines.stream().map(Line::time).max(Comparator.naturalOrder()).orElse(""));
    }

    @SafeVarargs
    private static List<String> columns(List<String>... parts) {
        return List.of(parts).stream().flatMap(Collection::stream).toList();
    }

    private static String what(Finding finding) {
        return finding.layers().isEmpty()
                ? WrongBits.text(finding.difference().bits().stream()
                        .mapToInt(Integer::intValue)
                        .toArray())
                : String.join(", ", finding.layers());
    }

    private static String power(double exponent) {
        return Double.isInfinite(exponent) ? "" : String.format(Locale.ROOT, "10^%.1f", exponent);
    }

    /** A time in UTC, to the second. */
    static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
