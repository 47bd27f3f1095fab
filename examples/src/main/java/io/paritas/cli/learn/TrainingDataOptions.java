/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of images to train on. */
@Command
final class TrainingDataOptions {
    @Mixin
    private DataOptions images;

    @Option(
            names = "--limit",
            paramLabel = "COUNT",
            description = "Train on at most this many images, chosen at random with a fixed seed.")
    private Integer limit;

    @Option(
            names = "--augment",
            description = "Train on images shifted by up to 4 pixels and mirrored, differently in each epoch.")
    private boolean augment;

    Data load() {
        if (limit != null && limit < 1) {
            throw new IllegalArgumentException("--limit must be at least 1, got " + limit);
        }
        return images.load(limit == null ? Integer.MAX_VALUE : limit, augment);
    }
}
