/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Loads images by a name from the command line:
 *
 * <table>
 *   <caption>Known forms, with options after commas</caption>
 *   <tr><td>{@code glyphs}, {@code glyphs:count=8000,seed=1,side=28,channels=3,classes=26}
 *       <td>drawn images ({@link Glyphs}); the last fifth is the test set
 *   <tr><td>{@code scenes}, {@code scenes:count=8000,seed=1,side=50}
 *       <td>a street, drawn with a car or without ({@link Scenes}); the last fifth is the test set
 *   <tr><td>{@code mnist:DIR}
 *       <td>the four files of MNIST, Fashion-MNIST and the like ({@link Idx}), with or without {@code .gz}
 *   <tr><td>{@code cifar10:DIR}
 *       <td>the binary batches ({@link CifarBinary}), or images in DIR/train/CLASS and DIR/test/CLASS
 *   <tr><td>{@code cifar100:DIR}
 *       <td>the binary version: train.bin, test.bin
 *   <tr><td>{@code images:DIR}, {@code images:DIR,size=50x50,resize=nearest,channels=1,seed=1}
 *       <td>images in DIR/train/CLASS and DIR/test/CLASS, or in DIR/CLASS, of which a random fifth is the test set; size is
 *       height × width, by bilinear resampling unless resize=nearest; channels is 1 or 3 (the default)
 * </table>
 */
public final class DataSource {
    private static final String FORMS = "known are glyphs, glyphs:count=8000,seed=1,side=28,channels=1,classes=10,"
            + " scenes, scenes:count=8000,seed=1,side=50, mnist:DIR, cifar10:DIR, cifar100:DIR, images:DIR and"
            + " images:DIR,size=50x50,resize=nearest,channels=1,seed=1";

    private static final Pattern SIZE = Pattern.compile("(\\d{1,5})x(\\d{1,5})");

    private DataSource() {}

    /**
     * Reads or draws images.
     *
     * @param text one of the forms above
     * @throws IllegalArgumentException if the text has no known form
     * @throws DataException if the files cannot be read
     */
    public static LabelledImages load(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        try {
            return switch (name) {
                case "glyphs" -> glyphs(rest);
                case "scenes" -> scenes(rest);
                case "mnist" -> mnist(folder(rest, name));
                case "cifar10" -> cifar10(folder(rest, name));
                case "cifar100" -> cifar100(folder(rest, name));
                case "images" -> images(rest);
                default -> throw new IllegalArgumentException("no source has this name");
            };
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("cannot load '" + text + "': " + e.getMessage() + "; " + FORMS, e);
        }
    }

    private static LabelledImages glyphs(String rest) {
        SourceOptions options = new SourceOptions(commaSeparated(rest), "count", "seed", "side", "channels", "classes");
        Glyphs standard = Glyphs.DEFAULT;
        Glyphs glyphs = new Glyphs(
                options.integer("count", standard.count()),
                options.number("seed", standard.seed()),
                options.integer("side", standard.side()),
                options.integer("channels", standard.channels()),
                options.integer("classes", standard.classes()));
        return drawn(glyphs.draw(), "drawn glyphs (not handwriting), seed " + glyphs.seed());
    }

    private static LabelledImages scenes(String rest) {
        SourceOptions options = new SourceOptions(commaSeparated(rest), "count", "seed", "side");
        Scenes standard = Scenes.DEFAULT;
        Scenes scenes = new Scenes(
                options.integer("count", standard.count()),
                options.number("seed", standard.seed()),
                options.integer("side", standard.side()));
        return drawn(scenes.draw(), "drawn scenes of a street (no film), seed " + scenes.seed());
    }

    private static List<String> commaSeparated(String rest) {
        return rest.isEmpty() ? List.of() : Arrays.asList(rest.split(",", -1));
    }

    /** The last fifth is the test set. */
    private static LabelledImages drawn(ImageSet all, String what) {
        int train = all.size() - all.size() / 5;
        return described(all.limit(train), all.subset(train, all.size()), Normalization.NONE, what);
    }

    private static LabelledImages mnist(Path folder) {
        ImageSet train = idx(folder, "train");
        ImageSet test = idx(folder, "t10k");
        // a test set may lack the last class
        List<String> classes = train.classes().size() > test.classes().size() ? train.classes() : test.classes();
        return described(
                train.withClasses(classes), test.withClasses(classes), Normalization.NONE, "IDX files of " + folder);
    }

    private static ImageSet idx(Path folder, String part) {
        return Idx.read(
                plainOrGzip(folder, part + "-images-idx3-ubyte"), plainOrGzip(folder, part + "-labels-idx1-ubyte"));
    }

    private static Path plainOrGzip(Path folder, String name) {
        Path plain = folder.resolve(name);
        Path gzip = folder.resolve(name + ".gz");
        if (!Files.exists(plain) && !Files.exists(gzip)) {
            throw new DataException("MNIST's files are " + name + " or " + name + ".gz and others, " + folder
                    + " has neither of these two");
        }
        return Files.exists(plain) ? plain : gzip;
    }

    private static LabelledImages cifar10(Path folder) {
        List<Path> batches = batches(folder);
        if (!batches.isEmpty()) {
            requireAll(batches, folder);
            return described(
                    CifarBinary.cifar10(batches),
                    CifarBinary.cifar10(List.of(folder.resolve("test_batch.bin"))),
                    Normalization.CIFAR10,
                    "CIFAR-10, the binary version, of " + folder);
        }
        if (!isTrainAndTest(folder)) {
            throw new DataException(
                    "CIFAR-10 is data_batch_1.bin and others, or the folders train and test with a folder for"
                            + " each class; " + folder + " has neither: is it an archive still to be unpacked?");
        }
        LabelledImages images = trainAndTest(
                folder, ImageFolders.RGB, Normalization.CIFAR10, "CIFAR-10 as " + kinds(folder) + " of " + folder);
        if (!images.train().shape().equals(List.of(3, 32, 32))
                || !images.train().classes().equals(CifarBinary.CLASSES)) {
            throw new DataException("CIFAR-10 has images of 32x32 in the classes " + CifarBinary.CLASSES + ", " + folder
                    + " has " + images.train() + ": " + images.train().classes() + "; others are read by images:DIR");
        }
        return images;
    }

    private static List<Path> batches(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("data_batch_\\d+\\.bin"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new DataException("cannot list " + folder + ": " + e, e);
        }
    }

    private static void requireAll(List<Path> batches, Path folder) {
        List<String> names =
                batches.stream().map(file -> file.getFileName().toString()).toList();
        List<String> all = IntStream.rangeClosed(1, 5)
                .mapToObj(i -> "data_batch_" + i + ".bin")
                .toList();
        if (!names.equals(all)) {
            throw new DataException("CIFAR-10, the binary version, has " + String.join(", ", all) + ", " + folder
                    + " has " + String.join(", ", names) + ": copy or unpack it again; --limit trains on fewer images");
        }
    }

    /** For example "JPEG (lossy)", by the endings of the training images. */
    private static String kinds(Path folder) {
        try (Stream<Path> files = Files.walk(folder.resolve("train"), 2)) {
            return files.filter(file -> Files.isRegularFile(file)
                            && !file.getFileName().toString().startsWith("."))
                    .map(file -> kind(file.getFileName().toString()))
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining(" and "));
        } catch (IOException e) {
            throw new DataException("cannot list " + folder + ": " + e, e);
        }
    }

    private static String kind(String name) {
        String ending = name.substring(name.lastIndexOf('.') + 1).toUpperCase(Locale.ROOT);
        return ending.matches("JPE?G") ? "JPEG (lossy, unlike the original)" : ending;
    }

    private static LabelledImages cifar100(Path folder) {
        return described(
                CifarBinary.cifar100(folder.resolve("train.bin")),
                CifarBinary.cifar100(folder.resolve("test.bin")),
                Normalization.CIFAR10,
                "CIFAR-100, the binary version, of " + folder);
    }

    private static LabelledImages images(String rest) {
        // a folder may have commas in its name
        String[] parts = rest.split(",(?=[a-z]+=)", -1);
        Path folder = folder(parts[0], "images");
        SourceOptions options =
                new SourceOptions(Arrays.asList(parts).subList(1, parts.length), "size", "resize", "channels", "seed");
        ImageFolders reader = reader(options);
        String what = "images of " + folder
                + (options.text("resize", "bilinear").equals("nearest") ? ", resized to the nearest pixels" : "");
        if (isTrainAndTest(folder)) {
            if (!options.text("seed", "").isEmpty()) {
                throw new IllegalArgumentException("seed is that of a random fifth for the test, " + folder
                        + " has its own images for that, in test: leave seed out");
            }
            return trainAndTest(folder, reader, Normalization.NONE, what);
        }
        ImageSet all = reader.read(folder);
        long seed = options.number("seed", 1);
        Split split = Split.random(all, 0, all.size() / 5, seed);
        return described(
                split.train(), split.test(), Normalization.NONE, what + ", a random fifth for the test, seed " + seed);
    }

    private static ImageFolders reader(SourceOptions options) {
        int channels = options.integer("channels", 3);
        ImageFolders reader =
                switch (channels) {
                    case 1 -> ImageFolders.GRAY;
                    case 3 -> ImageFolders.RGB;
                    default -> throw new IllegalArgumentException("channels are 1 or 3, got " + channels);
                };
        String size = options.text("size", "");
        String resize = options.text("resize", "bilinear");
        if (!resize.equals("bilinear") && !resize.equals("nearest")) {
            throw new IllegalArgumentException("resize is bilinear or nearest, got '" + resize + "'");
        }
        if (size.isEmpty()) {
            if (!options.text("resize", "").isEmpty()) {
                throw new IllegalArgumentException("resize needs a size, as size=50x50");
            }
            return reader;
        }
        Matcher sides = SIZE.matcher(size);
        if (!sides.matches()) {
            throw new IllegalArgumentException("size is height x width, as 50x50, got '" + size + "'");
        }
        int height = Integer.parseInt(sides.group(1));
        int width = Integer.parseInt(sides.group(2));
        return resize.equals("nearest") ? reader.resizedNearest(height, width) : reader.resized(height, width);
    }

    private static boolean isTrainAndTest(Path folder) {
        boolean train = Files.isDirectory(folder.resolve("train"));
        boolean test = Files.isDirectory(folder.resolve("test"));
        if (train != test) {
            throw new DataException("a folder train stands beside a folder test, " + folder + " has only "
                    + (train ? "train" : "test"));
        }
        return train;
    }

    private static LabelledImages trainAndTest(
            Path folder, ImageFolders reader, Normalization normalization, String what) {
        return described(
                reader.read(folder.resolve("train")), reader.read(folder.resolve("test")), normalization, what);
    }

    private static LabelledImages described(ImageSet train, ImageSet test, Normalization normalization, String what) {
        String sizes = train.size() + " + " + test.size()
                + train.toString().substring(String.valueOf(train.size()).length());
        return new LabelledImages(train, test, normalization, what + ": " + sizes);
    }

    private static Path folder(String text, String name) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("its folder is missing, as in " + name + ":DIR");
        }
        Path folder = Path.of(text);
        if (!Files.isDirectory(folder)) {
            throw new DataException(text + " is no folder");
        }
        return folder;
    }
}
