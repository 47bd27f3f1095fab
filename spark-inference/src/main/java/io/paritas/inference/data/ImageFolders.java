/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Reads a tree with a folder of images for each class: {@code cat/0001.jpg}. Classes, and the images of a class, are in
 * lexicographic order. The first bytes tell JPEG, PNG, GIF and BMP; the file's name does not matter, and transparency is ignored.
 * Names that start with a dot and files beside the folders are skipped; all other files must be images. Immutable and thread-safe;
 * reading uses the common pool.
 */
final class ImageFolders {

    /** Three channels; gray images get equal ones. */
    public static final ImageFolders RGB = new ImageFolders(3, 0, 0, Filter.NONE);

    /** One channel; colours become gray by ITU-R 601, as in Pillow. */
    public static final ImageFolders GRAY = new ImageFolders(1, 0, 0, Filter.NONE);

    private enum Filter {
        NONE,
        BILINEAR,
        NEAREST
    }

    private final int channels;
    private final int height;
    private final int width;
    private final Filter filter;

    private ImageFolders(int channels, int height, int width, Filter filter) {
        if (filter != Filter.NONE && (height < 1 || width < 1)) {
            throw new IllegalArgumentException("the size of images must be at least 1x1, got " + height + "x" + width);
        }
        this.channels = channels;
        this.height = height;
        this.width = width;
        this.filter = filter;
    }

    /** Resizes each image, as {@link Images#resize} does, without keeping the ratio of its sides. */
    public ImageFolders resized(int newHeight, int newWidth) {
        return new ImageFolders(channels, newHeight, newWidth, Filter.BILINEAR);
    }

    /** Resizes each image to the nearest pixels, as was done for the published NoScope frames. */
    public ImageFolders resizedNearest(int newHeight, int newWidth) {
        return new ImageFolders(channels, newHeight, newWidth, Filter.NEAREST);
    }

    /**
     * Reads all images.
     *
     * @throws DataException if there is no class, a class has no image, a file is damaged or no image, or images that are not
     *     resized differ in size
     */
    public ImageSet read(Path tree) {
        List<Path> folders = list(tree, Files::isDirectory);
        if (folders.isEmpty()) {
            throw new DataException("a tree of images must have a folder for each class, " + tree + " has no folder");
        }
        List<Path> files = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        for (int label = 0; label < folders.size(); label++) {
            List<Path> images = list(folders.get(label), file -> true);
            if (images.isEmpty()) {
                throw new DataException("every class must have images, " + folders.get(label) + " has none");
            }
            for (Path image : images) {
                files.add(image);
                labels.add(label);
            }
        }
        Picture[] pictures = files.parallelStream().map(this::picture).toArray(Picture[]::new);
        checkSizes(pictures, files);
        return ImageSet.wrap(
                List.of(channels, pictures[0].height(), pictures[0].width()),
                Stream.of(pictures).map(Picture::pixels).toArray(byte[][]::new),
                labels.stream().mapToInt(Integer::intValue).toArray(),
                folders.stream().map(folder -> folder.getFileName().toString()).toList());
    }

    /** The entries whose names do not start with a dot, in lexicographic order of their names. */
    private static List<Path> list(Path folder, Predicate<Path> wanted) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> !entry.getFileName().toString().startsWith("."))
                    .filter(wanted)
                    .sorted((a, b) ->
                            a.getFileName().toString().compareTo(b.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new DataException("cannot list " + folder + ": " + e, e);
        }
    }

    private Picture picture(Path file) {
        Picture picture = Picture.read(file, channels);
        return switch (filter) {
            case NONE -> picture;
            case BILINEAR -> picture.resized(height, width);
            case NEAREST ->
                picture.resized(
                        Resampling.nearest(picture.height(), height),
                        Resampling.nearest(picture.width(), width),
                        height,
                        width);
        };
    }

    private static void checkSizes(Picture[] pictures, List<Path> files) {
        Picture first = pictures[0];
        for (int i = 1; i < pictures.length; i++) {
            if (pictures[i].height() != first.height() || pictures[i].width() != first.width()) {
                throw new DataException("images must have one size (height x width), " + files.get(0) + " has "
                        + size(first) + " and " + files.get(i) + " has " + size(pictures[i]) + ": resize them");
            }
        }
    }

    private static String size(Picture picture) {
        return picture.height() + "x" + picture.width();
    }
}
