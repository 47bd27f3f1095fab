/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.cli.usage.Usage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Refuses numbers of images that there cannot be. */
    void check() {
        new Usage(command).requireAtLeast(1, "--limit", limit);
    }

    /** What was asked for. */
    String source() {
        return images.source();
    }

    Data load() {
        return images.load(limit == null ? Integer.MAX_VALUE : limit, augment);
    }
}
