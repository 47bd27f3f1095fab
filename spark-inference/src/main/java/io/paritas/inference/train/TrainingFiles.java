/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.BundleKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files that a training writes into its folder.
 *
 * @param results a descriptor and networks
 * @param checkpoint the state of an interrupted training
 */
public record TrainingFiles(List<String> results, String checkpoint) {
    public static final TrainingFiles BASE = new TrainingFiles(List.of("base.onnx"), "base.checkpoint");

    public static final TrainingFiles CODE =
            new TrainingFiles(List.of(BundleKind.LEARNED.file(), "encoder.onnx", "decoder.onnx"), "learned.checkpoint");

    public static final TrainingFiles FOLDED =
            new TrainingFiles(List.of(BundleKind.FOLDED.file(), "folded.onnx"), "folded.checkpoint");

    /** @param models number of parity models */
    public static TrainingFiles parity(int models) {
        Stream<String> networks = IntStream.range(0, models)
                .boxed()
                .flatMap(j -> Stream.of("parity-" + j + ".onnx", "parity-" + j + ".pt"));
        return new TrainingFiles(
                Stream.concat(Stream.of(BundleKind.PARITY.file()), networks).toList(), "parity-0.checkpoint");
    }

    /** The first result that a folder has, unless it is of a training that was interrupted while it wrote them. */
    public Optional<String> existing(Path folder) {
        return Files.exists(folder.resolve(checkpoint))
                ? Optional.empty()
                : results.stream()
                        .filter(file -> Files.exists(folder.resolve(file)))
                        .findFirst();
    }

    /**
     * Makes a folder, if it is missing, and claims it for one training or calibration.
     *
     * @throws IOException if it cannot be written
     * @throws IllegalStateException if another one has claimed it
     */
    public ClaimedFolder claim(Path folder) throws IOException {
        return ClaimedFolder.of(folder, checkpoint);
    }
}
