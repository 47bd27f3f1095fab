/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.spark.ecrm.checkpoint.CheckpointFolder;
import io.paritas.spark.job.DiskFiles;
import io.paritas.spark.job.DurableFiles;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The settings of a training by which another one that resumes it is checked, as the file {@code training.json} beside its
 * checkpoints. Servers, redundancy and threads are not among them.
 *
 * @param values by their names
 */
record TrainingSettings(Map<String, String> values) {
    private static final String FILE = "training.json";
    /** Earlier versions noted "samples" that were identified otherwise, which are not checked. */
    private static final String SAMPLES = "training samples";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param samples what identifies the samples, if that is known */
    static TrainingSettings of(TrainingPlan plan, Optional<String> samples) {
        Map<String, String> values = new LinkedHashMap<>();
        samples.ifPresent(fingerprint -> values.put(SAMPLES, fingerprint));
        put("model", plan.shape(), values);
        put("initial rows", plan.rows(), values);
        values.put("seed", String.valueOf(plan.seed()));
        put("row optimizer", plan.servers().rowOptimizer(), values);
        put("network optimizer", plan.servers().networkOptimizer(), values);
        values.put("batch", String.valueOf(plan.work().batch()));
        values.put("epochs", String.valueOf(plan.work().epochs()));
        values.put("workers", String.valueOf(plan.work().workers()));
        return new TrainingSettings(values);
    }

    /** Its type and its components, each by its name: one that a later version adds is not noted, and so not checked. */
    private static void put(String name, Object settings, Map<String, String> values) {
        values.put(name + " type", settings.getClass().getSimpleName());
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            try {
                Object value = component.getAccessor().invoke(settings);
                values.put(name + " " + component.getName(), String.valueOf(value));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(component + " of a public record can be read", e);
            }
        }
    }

    /**
     * Checks that a folder's checkpoints, if it has any, are of a training with these settings, and notes them there, unless they are noted already.
     *
     * @throws IllegalArgumentException if they are not; the message names the differences
     */
    void claim(String folder, Configuration conf) throws IOException {
        Path file = new Path(folder, FILE);
        if (new CheckpointFolder(folder, conf).newest().isPresent()) {
            name(file, DiskFiles.of(file, conf));
            check(folder, conf);
            if (noted(file, conf).entrySet().containsAll(values.entrySet())) {
                return;
            }
        }
        DurableFiles.write(DiskFiles.of(file, conf), file, JSON.writeValueAsBytes(values));
    }

    /**
     * Checks that the checkpoints in a folder are of a training with these settings; a setting that is not noted there is not checked.
     *
     * @throws IllegalArgumentException if they are not; the message names the differences
     */
    void check(String folder, Configuration conf) throws IOException {
        Map<String, String> noted = noted(new Path(folder, FILE), conf);
        String differences = values.entrySet().stream()
                .filter(setting -> noted.containsKey(setting.getKey())
                        && !Objects.equals(noted.get(setting.getKey()), setting.getValue()))
                .map(setting ->
                        setting.getKey() + " was " + noted.get(setting.getKey()) + " and is " + setting.getValue())
                .collect(Collectors.joining("; "));
        if (!differences.isEmpty()) {
            throw new IllegalArgumentException("settings must be those of the training whose checkpoints are in "
                    + folder + ", got others: " + differences + ". Use the same settings, or another folder");
        }
    }

    private static Map<String, String> noted(Path file, Configuration conf) throws IOException {
        FileSystem files = DiskFiles.of(file, conf);
        if (!files.exists(file)) {
            return unnamed(unfinished(file), files);
        }
        try {
            return read(file, files);
        } catch (JsonProcessingException e) {
            throw new IOException(
                    file + " must be the settings of a training, but is damaged (" + e.getOriginalMessage()
                            + "): delete it, then checkpoints beside it are used without a check of their settings",
                    e);
        }
    }

    /** Gives settings their name, if they are complete and whoever wrote them died before: the next ones would be written over them. */
    private static void name(Path file, FileSystem files) throws IOException {
        if (!files.exists(file) && !unnamed(unfinished(file), files).isEmpty()) {
            files.rename(unfinished(file), file);
        }
    }

    private static Path unfinished(Path file) {
        return new Path(file.getParent(), "_" + file.getName());
    }

    /** Those of {@link DurableFiles}, if who wrote them died before they had their name; and none if it died before they were complete. */
    private static Map<String, String> unnamed(Path file, FileSystem files) throws IOException {
        try {
            return files.exists(file) ? read(file, files) : Map.of();
        } catch (JsonProcessingException e) {
            return Map.of();
        }
    }

    private static Map<String, String> read(Path file, FileSystem files) throws IOException {
        try (var in = files.open(file)) {
            return JSON.readValue(in.readAllBytes(), new TypeReference<Map<String, String>>() {});
        }
    }
}
