/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.CompleteFile;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * The checkpoint of a training: a zip file of {@code state.json}, {@code optimizer.pt}, and the networks of the last and of the
 * best epoch. Writing is atomic: a kill leaves the old file or the new one.
 */
final class Checkpoint {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** From this size on, in bytes, a checkpoint is not written after each epoch. */
    private static final long LARGE = 64 << 20;

    private final Path file;
    private final String training;
    private final int networks;

    private Duration cost = Duration.ZERO;
    private long written = System.nanoTime();

    Checkpoint(Path file, Objective objective, TrainOptions options) {
        this.file = file;
        this.training = training(objective.description(), options);
        this.networks = objective.networks().size();
    }

    /** What identifies a training. It may be resumed with other epochs and patience. */
    static String training(String description, TrainOptions options) {
        return description + "; " + options.withEpochs(1).withPatience(0);
    }

    Path file() {
        return file;
    }

    /** Says what training a file is of, if there is a file, and it is of another training. */
    static Optional<String> mismatch(Path file, String training) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (ZipFile zip = new ZipFile(file.toFile())) {
            return mismatch(file, JSON.readTree(get(zip, "state.json")), training);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static Optional<String> mismatch(Path file, JsonNode state, String training) {
        String other = state.path("training").asText();
        return other.equals(training)
                ? Optional.empty()
                : Optional.of(file + " is of\n  " + other + "\nand this training is\n  " + training + "\n");
    }

    /** @param mismatches at least one */
    static ModelException refusal(List<String> mismatches) {
        return new ModelException("a checkpoint must be of the same training, " + String.join(", ", mismatches)
                + (mismatches.size() == 1 ? ": delete the file" : ": delete these files") + " to start again");
    }

    private static UncheckedIOException unreadable(Path file, IOException e) {
        return new UncheckedIOException(
                "cannot read the checkpoint " + file + ": " + e.getMessage() + ": delete the file to start again", e);
    }

    /** @param best null if no epoch was eligible yet */
    record State(
            List<Epoch> epochs, Epoch best, List<ModelFile> bestNetworks, List<ModelFile> networks, byte[] optimizer) {}

    /**
     * Writes a state, unless the last one was written a moment ago and took long: hundreds of megabytes after epochs of a few seconds
     * would slow a training down.
     */
    void writeIfDue(Supplier<State> state) {
        long start = System.nanoTime();
        if (!due(file.toFile().length(), cost, Duration.ofNanos(start - written))) {
            return;
        }
        write(state.get());
        written = System.nanoTime();
        cost = Duration.ofNanos(written - start);
    }

    /** Whether to write again after a file of some bytes: a small one always, and a large one so that it takes a tenth of the time. */
    static boolean due(long size, Duration cost, Duration since) {
        return size < LARGE || since.compareTo(cost.multipliedBy(9)) >= 0;
    }

    void write(State state) {
        ObjectNode json = JSON.createObjectNode();
        json.put("training", training);
        json.set("epochs", JSON.valueToTree(state.epochs()));
        json.set("best", JSON.valueToTree(state.best()));
        try {
            CompleteFile.write(file, out -> {
                ZipOutputStream zip = new ZipOutputStream(out);
                zip.setLevel(0);
                put(zip, "state.json", JSON.writeValueAsBytes(json));
                put(zip, "optimizer.pt", state.optimizer());
                for (int i = 0; i < networks; i++) {
                    put(zip, "last-" + i, state.networks().get(i).bytes());
                    if (state.best() != null) {
                        put(zip, "best-" + i, state.bestNetworks().get(i).bytes());
                    }
                }
                zip.finish();
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the checkpoint " + file + ": " + e.getMessage(), e);
        }
    }

    private static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(bytes);
        zip.closeEntry();
    }

    /** The state to resume from; empty if there is no file. */
    Optional<State> read() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (ZipFile zip = new ZipFile(file.toFile())) {
            JsonNode json = JSON.readTree(get(zip, "state.json"));
            mismatch(file, json, training).ifPresent(mismatch -> {
                throw refusal(List.of(mismatch));
            });
            List<Epoch> epochs = new ArrayList<>();
            for (JsonNode epoch : json.path("epochs")) {
                epochs.add(JSON.treeToValue(epoch, Epoch.class));
            }
            Epoch best = JSON.treeToValue(json.path("best"), Epoch.class);
            return Optional.of(new State(
                    epochs,
                    best,
                    best == null ? List.of() : models(zip, "best-"),
                    models(zip, "last-"),
                    get(zip, "optimizer.pt")));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private List<ModelFile> models(ZipFile zip, String prefix) throws IOException {
        List<ModelFile> models = new ArrayList<>();
        for (int i = 0; i < networks; i++) {
            models.add(ModelFile.of(get(zip, prefix + i)));
        }
        return models;
    }

    private static byte[] get(ZipFile zip, String name) throws IOException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new IOException("it has no entry " + name);
        }
        byte[] bytes = zip.getInputStream(entry).readAllBytes();
        CRC32 checksum = new CRC32();
        checksum.update(bytes);
        if (checksum.getValue() != entry.getCrc()) { // which the zip file does not look at
            throw new IOException("its entry " + name + " is damaged");
        }
        return bytes;
    }
}
