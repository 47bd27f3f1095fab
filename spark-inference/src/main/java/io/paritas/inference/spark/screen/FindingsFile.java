/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/** The file of findings, a line of JSON for each. Thread-safe. */
final class FindingsFile {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Numbers of rows in a line, at most. */
    private static final int MOST_ROWS = 100;

    private final Optional<Path> file;
    private final Supplier<String> application;
    /** Whether the file may end within a line, as one of an earlier application may. */
    private boolean mayBeTorn = true;

    /**
     * Findings of an application.
     *
     * @param path empty for no file
     * @param application its id, which it gets after its plugins
     * @throws IllegalArgumentException if this machine has no such path
     */
    FindingsFile(String path, Supplier<String> application) {
        this.file = file(path);
        this.application = application;
    }

    private static Optional<Path> file(String path) {
        try {
            return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
        } catch (InvalidPathException e) {
            String rule = "a path that this machine's locale can spell, as C.UTF-8 can";
            throw new IllegalArgumentException(ScreenSettings.REPORT.refusal(rule, path), e);
        }
    }

    synchronized void add(Finding finding) {
        file.ifPresent(path -> add(finding, path));
    }

    private void add(Finding finding, Path path) {
        try {
            String end = mayBeTorn && endsWithinALine(path) ? "\n" : "";
            byte[] line = (end + line(finding) + "\n").getBytes(StandardCharsets.UTF_8);
            mayBeTorn = true; // a full disk takes a part of it
            Files.write(path, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            mayBeTorn = false;
        } catch (IOException e) {
            LoggerFactory.getLogger(FindingsFile.class)
                    .error("Paritas: a finding could not be written to {}: {}", path, e.toString());
        }
    }

    private static boolean endsWithinALine(Path path) throws IOException {
        if (!Files.isRegularFile(path) || Files.size(path) == 0) {
            return false;
        }
        try (FileChannel file = FileChannel.open(path)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            file.read(last, file.size() - 1);
            return last.get(0) != '\n';
        }
    }

    private String line(Finding finding) throws JsonProcessingException {
        ObjectNode line = JSON.createObjectNode();
        List<Integer> rows = finding.difference().rows();
        line.put("time", finding.time().toString())
                .put("application", application.get())
                .put("executor", finding.executor())
                .put("host", finding.entry().host())
                .put("suspicion", finding.suspicion().name().toLowerCase(Locale.ROOT))
                .put("model", finding.verdict().sha256())
                .put("reason", finding.verdict().reason().name().toLowerCase(Locale.ROOT))
                .put("values", finding.difference().values())
                .put("wrongRows", rows.size())
                .put("audited", finding.entry().audited())
                .put("wrong", finding.entry().wrong())
                .putPOJO("rows", rows.subList(0, Math.min(MOST_ROWS, rows.size())))
                .putPOJO("bits", finding.difference().bits())
                .putPOJO("layers", finding.layers())
                .putPOJO("agreed", finding.verdict().right());
        if (!finding.gpus().isEmpty()) {
            line.put("gpus", finding.gpus());
        }
        finding.obstacle().ifPresent(why -> line.put("notEnded", why));
        return JSON.writeValueAsString(line);
    }
}
