/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.screen;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sums up the findings of an application's screening. */
@Command(
        name = "report",
        header = "Shows what was found on executors that were screened.",
        description = {
            "",
            "Reads the file that spark.paritas.screen.report names, and shows for each executor when and how it was wrong."
                    + " One that was wrong again and again is faulty.",
            ""
        },
        exitCodeOnExecutionException = ScreenCommand.UNKNOWN,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no executor is faulty", "1:one is faulty", "2:wrong usage", "3:it could not find out"},
        footer = {"", "Example: paritas screen report findings.jsonl"})
public final class ScreenReportCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(paramLabel = "FILE", description = "The file of findings.")
    private Path file;

    @Spec
    private CommandSpec spec;

    /** Whether lines are no findings, so that nobody knows of whom they were. */
    private boolean leftOut;

    /** The findings of an executor. */
    private static final class Executor {
        private final int[] bits = new int[Float.SIZE];
        private final Map<String, Integer> reasons = new TreeMap<>();
        private final Set<String> layers = new TreeSet<>();
        private final Set<String> gpus = new TreeSet<>();
        private JsonNode first;
        private JsonNode last;
        private long rows;

        void add(JsonNode finding) {
            first = first == null ? finding : first;
            last = finding;
            if (finding.path("reason").isTextual()) {
                reasons.merge(finding.path("reason").asText(), 1, Integer::sum);
            }
            finding.path("layers").forEach(layer -> layers.add(layer.asText()));
            if (finding.has("gpus")) {
                gpus.add(finding.path("gpus").asText());
            }
            rows += finding.path("wrongRows").asLong();
            for (int bit = 0; bit < bits.length; bit++) {
                bits[bit] += finding.path("bits").path(bit).asInt();
            }
        }

        boolean isFaulty() {
            return last.path("suspicion").asText().equals("faulty");
        }
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Executor> executors = read();
        PrintWriter out = spec.commandLine().getOut();
        executors.values().forEach(executor -> print(executor, out));
        long faulty = executors.values().stream().filter(Executor::isFaulty).count();
        out.println(executors.size() + " executor(s) were wrong, " + faulty + " of them again and again");
        if (faulty == 0 && leftOut) {
            return ScreenCommand.UNKNOWN;
        }
        return faulty == 0 ? 0 : 1;
    }

    private Map<String, Executor> read() throws IOException {
        Map<String, Executor> executors = new TreeMap<>();
        // Not readAllLines, which refuses a line that was torn within a character.
        List<String> lines = new String(bytes(), UTF_8).lines().toList();
        List<Integer> others = new ArrayList<>();
        for (int number = 0; number < lines.size(); number++) {
            if (lines.get(number).isBlank()) { // as an editor leaves where a torn line was deleted
                continue;
            }
            JsonNode finding = parse(lines.get(number)).orElse(null);
            if (finding == null) {
                others.add(number + 1);
                continue;
            }
            String key = finding.path("host").asText() + " "
                    + finding.path("application").asText() + " "
                    + finding.path("executor").asText();
            executors.computeIfAbsent(key, unknown -> new Executor()).add(finding);
        }
        check(executors, others);
        return executors;
    }

    private byte[] bytes() throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw CompleteFile.named(file, e);
        }
    }

    /** A full disk leaves torn lines, of which the other findings are no less true. A driver that is killed leaves one at the end. */
    private void check(Map<String, Executor> executors, List<Integer> others) throws IOException {
        if (others.isEmpty()) {
            return;
        }
        if (executors.isEmpty()) {
            throw new IOException("every line must be a finding of screening, line " + others.get(0) + " of " + file
                    + " is none: name the file of spark.paritas.screen.report");
        }
        leftOut = true;
        spec.commandLine()
                .getErr()
                .println(others.size() + " line(s) of " + file + " are no findings and are left out, the first is "
                        + others.get(0)
                        + ": any of them may have been of a faulty executor, look at them and delete them");
    }

    private static Optional<JsonNode> parse(String line) {
        try {
            JsonNode finding = JSON.readTree(line);
            return finding.path("executor").isTextual() && finding.path("bits").isArray()
                    ? Optional.of(finding)
                    : Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private static void print(Executor executor, PrintWriter out) {
        JsonNode last = executor.last;
        out.printf(
                Locale.ROOT,
                "%s  %s, executor %s of %s: %d of %d audited batches wrong, %d rows%n",
                executor.isFaulty() ? "FAIL" : "warn",
                last.path("host").asText(),
                last.path("executor").asText(),
                last.path("application").asText(),
                last.path("wrong").asLong(),
                last.path("audited").asLong(),
                executor.rows);
        out.printf(
                Locale.ROOT,
                "      from %s to %s, model %.12s%n",
                executor.first.path("time").asText(),
                last.path("time").asText(),
                last.path("model").asText());
        if (!executor.reasons.isEmpty()) {
            out.printf(
                    Locale.ROOT,
                    "      why they were audited: %s; last rows: %s%n",
                    reasons(executor),
                    last.path("rows"));
        }
        if (last.has("notEnded")) {
            out.printf(
                    Locale.ROOT,
                    "      wrong again and again, and not ended: %s%n",
                    last.path("notEnded").asText());
        }
        if (!executor.gpus.isEmpty()) {
            out.printf(Locale.ROOT, "      GPUs: %s%n", String.join("; ", executor.gpus));
        }
        if (!executor.layers.isEmpty()) {
            out.printf(Locale.ROOT, "      layers: %s%n", String.join(", ", executor.layers));
        }
        out.printf(Locale.ROOT, "      bits that differ (31 is the sign): %s%n", bits(executor.bits));
    }

    private static String reasons(Executor executor) {
        return executor.reasons.entrySet().stream()
                .map(reason -> reason.getKey() + " (" + reason.getValue() + " x)")
                .collect(Collectors.joining(", "));
    }

    private static String bits(int[] bits) {
        return IntStream.range(0, bits.length)
                .boxed()
                .sorted((a, b) -> bits[b] - bits[a])
                .filter(bit -> bits[bit] > 0)
                .map(bit -> bit + " (" + bits[bit] + " x)")
                .collect(Collectors.joining(", "));
    }
}
