/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Labelled images of one shape. Pixels are unsigned bytes in the order (channel, row, column), with channels red, green, blue. A
 * label is the index of the image's class; classes are in the lexicographic order of their names. Immutable and thread-safe.
 */
public final class ImageSet {
    private final List<Integer> shape;
    private final byte[][] images;
    private final int[] labels;
    private final List<String> classes;

    private ImageSet(List<Integer> shape, byte[][] images, int[] labels, List<String> classes) {
        this.shape = shape;
        this.images = images;
        this.labels = labels;
        this.classes = classes;
    }

    /**
     * A set of images. The arrays are copied.
     *
     * @param shape (channels, height, width)
     * @param images pixels of each image
     * @param labels class of each image
     * @param classes names of the classes, in lexicographic order
     * @throws IllegalArgumentException if the arguments do not fit together
     */
    public static ImageSet of(List<Integer> shape, byte[][] images, int[] labels, List<String> classes) {
        return wrap(shape, Arrays.stream(images).map(byte[]::clone).toArray(byte[][]::new), labels.clone(), classes);
    }

    /** A set of images. The arrays are not copied. */
    static ImageSet wrap(List<Integer> shape, byte[][] images, int[] labels, List<String> classes) {
        if (shape.size() != 3 || shape.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("the shape of images must be (channels, height, width), got " + shape);
        }
        if (images.length != labels.length) {
            throw new IllegalArgumentException(
                    "every image must have a label, got " + images.length + " images and " + labels.length + " labels");
        }
        checkImages(shape, images);
        checkClasses(labels, classes);
        return new ImageSet(List.copyOf(shape), images, labels, List.copyOf(classes));
    }

    private static void checkImages(List<Integer> shape, byte[][] images) {
        int size = shape.stream().reduce(1, Math::multiplyExact);
        for (int i = 0; i < images.length; i++) {
            if (images[i].length != size) {
                throw new IllegalArgumentException("an image of the shape " + shape + " must have " + size
                        + " bytes, image " + i + " has " + images[i].length);
            }
        }
    }

    private static void checkClasses(int[] labels, List<String> classes) {
        for (int i = 1; i < classes.size(); i++) {
            if (classes.get(i - 1).compareTo(classes.get(i)) >= 0) {
                throw new IllegalArgumentException("classes must differ and be in lexicographic order, got '"
                        + classes.get(i - 1) + "' before '" + classes.get(i) + "'");
            }
        }
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] < 0 || labels[i] >= classes.size()) {
                throw new IllegalArgumentException("a label must be the index of one of " + classes.size()
                        + " classes, image " + i + " has " + labels[i]);
            }
        }
    }

    /** Of pixels and labels. */
    public String checksum() {
        return Checksum.of(Arrays.asList(images), labels);
    }

    /** Number of images. */
    public int size() {
        return images.length;
    }

    /** (channels, height, width) of each image. */
    public List<Integer> shape() {
        return shape;
    }

    /** Values of one image: channels × height × width. */
    public int imageSize() {
        return shape.get(0) * shape.get(1) * shape.get(2);
    }

    /** Index of the image's class. */
    public int label(int index) {
        return labels[index];
    }

    /** Names of the classes, with those that have no image here. */
    public List<String> classes() {
        return classes;
    }

    /** A copy of the pixels of one image. */
    public byte[] image(int index) {
        return images[index].clone();
    }

    /** The pixels of one image; must not be changed. */
    byte[] pixels(int index) {
        return images[index];
    }

    /** A view of the images with these indices, in this order; indices may repeat. */
    public ImageSet select(int[] indices) {
        byte[][] chosen = new byte[indices.length][];
        int[] theirs = new int[indices.length];
        for (int i = 0; i < indices.length; i++) {
            chosen[i] = images[indices[i]];
            theirs[i] = labels[indices[i]];
        }
        return new ImageSet(shape, chosen, theirs, classes);
    }

    /** A view of the images from {@code from} to {@code to}, exclusive. */
    public ImageSet subset(int from, int to) {
        Objects.checkFromToIndex(from, to, size());
        return select(IntStream.range(from, to).toArray());
    }

    /** A view of the first {@code count} images, or of all if there are fewer. */
    public ImageSet limit(int count) {
        return subset(0, Math.min(count, size()));
    }

    /** The same images with other class names. */
    ImageSet withClasses(List<String> names) {
        return wrap(shape, images, labels, names);
    }

    /** Writes one image as {@link #imageSize()} values from the offset on. */
    public void toFloats(int index, Normalization normalization, float[] dst, int offset) {
        normalization.apply(images[index], shape.get(0), dst, offset);
    }

    /** Writes one image as {@link #imageSize()} values at the buffer's position, which advances. */
    public void toFloats(int index, Normalization normalization, FloatBuffer dst) {
        float[] values = new float[imageSize()];
        toFloats(index, normalization, values, 0);
        dst.put(values);
    }

    /** For example {@code 8000 images (1, 28, 28) of 10 classes}. */
    @Override
    public String toString() {
        return size() + " images (" + shape.get(0) + ", " + shape.get(1) + ", " + shape.get(2) + ") of "
                + classes.size() + " classes";
    }
}
