/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.PublicApi;
import io.paritas.inference.ModelFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The result of a training.
 *
 * @param networks the networks of the best epoch
 * @param best the best epoch
 * @param epochs all epochs: the learning curve
 * @param checkpoint file with the last state, from which the same training ends again at once
 */
@PublicApi
public record Training(List<ModelFile> networks, Epoch best, List<Epoch> epochs, Optional<Path> checkpoint) {

    /** Deletes the checkpoint. To be called when the networks are stored: whatever fails before does not cost the training. */
    public void deleteCheckpoint() {
        checkpoint.ifPresent(Training::delete);
    }

    /** Deletes the checkpoints of trainings, the first one last: it says that the trainings were interrupted. */
    public static void deleteCheckpoints(List<Training> trainings) {
        for (int i = trainings.size() - 1; i >= 0; i--) {
            trainings.get(i).deleteCheckpoint();
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete the checkpoint " + file + ": " + e.getMessage(), e);
        }
    }
}
