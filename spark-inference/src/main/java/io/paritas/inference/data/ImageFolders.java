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
 * Reads a tree with a folder for each class, each with its images: {@code cat/0001.jpg}. Classes are in lexicographic
 * order, and so are the images of a class. JPEG, PNG, GIF and BMP are told by their first bytes, whatever the file is
 * called; transparency is ignored. Names that start with a dot, and files beside the folders, are passed over; all others
 * must be images. Immutable and thread-safe; reading uses the common pool.
 */
public final class ImageFolders {

    /** Three channels; gray images get equal ones. */
    public static final ImageFolders RGB = new ImageFolders(3, 0, 0, Filter.NONE);

    /** One channel; colours become gray by ITU-R 601, as Pillow's. */
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
            throw new IllegalArgumentException("images are resized to at least 1x1, got " + height + "x" + width);
        }
        this.channels = channels;
        this.height = height;
        this.width = width;
        this.filter = filter;
    }

    /** Resizes each image, as {@link Images#resize} does; the ratio of its sides is not kept. */
    public ImageFolders resized(int newHeight, int newWidth) {
        return new ImageFolders(channels, newHeight, newWidth, Filter.BILINEAR);
    }

    /** Resizes each image by taking the nearest pixel, as the published NoScope frames were. */
    public ImageFolders resizedNearest(int newHeight, int newWidth) {
        return new ImageFolders(channels, newHeight, newWidth, Filter.NEAREST);
    }

    /**
     * Reads all images.
     *
     * @throws DataException if there is no class, a class has no image, a file is no image or damaged, or images differ
     *     in size and are not resized
     */
    public ImageSet read(Path tree) {
        List<Path> folders = list(tree, Files::isDirectory);
        if (folders.isEmpty()) {
            throw new DataException("a tree of images has a folder for each class, " + tree + " has no folder");
        }
        List<Path> files = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        for (int label = 0; label < folders.size(); label++) {
            List<Path> images = list(folders.get(label), file -> true);
            if (images.isEmpty()) {
                throw new DataException("every class has images, " + folders.get(label) + " has none");
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

    /** Entries without those that start with a dot, in lexicographic order of their names. */
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
                throw new DataException("images have one size (height x width), " + files.get(0) + " has " + size(first)
                        + " and " + files.get(i) + " has " + size(pictures[i]) + ": resize them");
            }
        }
    }

    private static String size(Picture picture) {
        return picture.height() + "x" + picture.width();
    }
}
