/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import io.paritas.cli.usage.Usage;
import io.paritas.inference.data.Augmentation;
import io.paritas.inference.data.DataSource;
import io.paritas.inference.data.ImageInputs;
import io.paritas.inference.data.ImageSet;
import io.paritas.inference.data.LabelledImages;
import io.paritas.inference.data.Split;
import io.paritas.inference.train.ClassifierObjective.Labelled;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the images. */
@Command
final class DataOptions {
    /** The seed of the split in the published trainings (thesis, 9). */
    private static final long SPLIT_SEED = 19;

    private static final long AUGMENTATION_SEED = 1;

    @Option(
            names = "--data",
            paramLabel = "SOURCE",
            defaultValue = "glyphs",
            description = {
                "Labelled images: glyphs (drawn by the program; such as glyphs:count=8000,seed=1), scenes"
                        + " (a street with a car or without), mnist:DIR, cifar10:DIR, cifar100:DIR, or images:DIR with a"
                        + " folder for each class. Default: ${DEFAULT-VALUE}"
            })
    private String source;

    @Option(
            names = "--validation",
            paramLabel = "COUNT",
            description = "Training images held back to choose the best epoch by. Default: a tenth")
    private Integer validation;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /**
     * Images as inputs of networks.
     *
     * @param areFolders whether the classes are folders, whose positions are the labels
     */
    record Data(
            Labelled train,
            Labelled validation,
            Labelled test,
            List<String> classes,
            boolean areFolders,
            String description) {
        /** Shape of an image. */
        List<Integer> shape() {
            return test.inputs().shape();
        }
    }

    /** What was asked for. */
    String source() {
        return source;
    }

    Data load() {
        return load(Integer.MAX_VALUE, false);
    }

    /**
     * @param limit images to train on at most
     * @param augment whether to train on shifted and mirrored images
     */
    Data load(int limit, boolean augment) {
        Usage usage = new Usage(command);
        usage.requireAtLeast(0, "--validation", validation);
        LabelledImages images = usage.parsed("--data", () -> DataSource.load(source));
        if (images.test().size() == 0) {
            throw new IllegalArgumentException("--data must have images for the test, " + source + " has none");
        }
        int held = validation == null ? Math.max(1, images.train().size() / 10) : validation;
        Split split = usage.parsed("--validation", () -> Split.random(images.train(), held, 0, SPLIT_SEED));
        ImageSet train =
                limit >= split.train().size() ? split.train() : split.train().limit(limit);
        ImageInputs inputs = new ImageInputs(train, images.normalization());
        // Folders are read class by class, but coding groups must not be of one class each.
        ImageSet test = images.test().select(Split.permutation(images.test().size(), SPLIT_SEED));
        String description = images.description() + ", " + train.size() + " for training, " + held + " for validation, "
                + images.test().size() + " for the test" + (augment ? ", augmented" : "") + ", checksum "
                + images.train().checksum();
        return new Data(
                new Labelled(augment ? inputs.augmented(Augmentation.cifar(AUGMENTATION_SEED)) : inputs, labels(train)),
                labelled(split.validation(), images),
                labelled(test, images),
                train.classes(),
                source.startsWith("images:"),
                description);
    }

    private static Labelled labelled(ImageSet set, LabelledImages images) {
        return new Labelled(new ImageInputs(set, images.normalization()), labels(set));
    }

    private static int[] labels(ImageSet set) {
        return IntStream.range(0, set.size()).map(set::label).toArray();
    }
}
