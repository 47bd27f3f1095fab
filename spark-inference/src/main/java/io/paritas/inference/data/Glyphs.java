/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Draws images of digits and letters, as data for trials. Each is a glyph that is rotated, sheared, scaled and shifted at random,
 * drawn with a pen of random width, with noise. They are easier than handwriting, so accuracies on them say nothing about real
 * images. Image i depends on the seed and i only, so a smaller set is the beginning of a larger one.
 *
 * <p>Glyphs are built-in strokes, because fonts differ between machines and small containers have none. Images are equal to the
 * bit on every machine and JDK.
 *
 * @param count number of images, at least 1
 * @param seed seed of all random choices
 * @param side height and width in pixels, 8 to 1024
 * @param channels 1 for light on dark, 3 for random colours
 * @param classes 2 to 36: the digits, then the capital letters; the class of each image is random
 */
public record Glyphs(int count, long seed, int side, int channels, int classes) {

    /** 10,000 gray digits of 28 × 28 pixels. */
    public static final Glyphs DEFAULT = new Glyphs(10_000, 1, 28, 1, 10);

    /** Checks the ranges. */
    public Glyphs {
        check(count >= 1, "the count of glyphs must be at least 1", count);
        check(side >= 8 && side <= 1024, "the side of glyphs must be 8 to 1024 pixels", side);
        check(channels == 1 || channels == 3, "the channels of glyphs must be 1 or 3", channels);
        check(classes >= 2 && classes <= GlyphShapes.NAMES.length(), "the classes of glyphs must be 2 to 36", classes);
    }

    private static void check(boolean fits, String rule, int got) {
        if (!fits) {
            throw new IllegalArgumentException(rule + ", got " + got);
        }
    }

    /** Draws the images, on the common pool. */
    public ImageSet draw() {
        int[] labels = new int[count];
        byte[][] images = new byte[count][];
        IntStream.range(0, count).parallel().forEach(i -> {
            Random random = Seeds.random(seed, i);
            labels[i] = random.nextInt(classes);
            images[i] = image(labels[i], random);
        });
        List<String> names = GlyphShapes.NAMES
                .substring(0, classes)
                .chars()
                .mapToObj(Character::toString)
                .toList();
        return ImageSet.wrap(List.of(channels, side, side), images, labels, names);
    }

    private byte[] image(int glyph, Random random) {
        double unit = side / 28.0;
        List<double[]> lines = GlyphShapes.lines(glyph, transform(unit, random));
        double pen = unit * Seeds.uniform(0.6, 1.6, random);
        double noise = Seeds.uniform(0.02, 0.12, random);
        double[] dark = new double[channels];
        double[] light = new double[channels];
        colours(dark, light, random);
        byte[] image = new byte[channels * side * side];
        for (int p = 0; p < side * side; p++) {
            double ink = ink(lines, p % side + 0.5, p / side + 0.5, pen);
            for (int c = 0; c < channels; c++) {
                double value = dark[c] + ink * (light[c] - dark[c]) + noise * random.nextGaussian();
                image[c * side * side + p] = (byte) Math.round(255 * Math.max(0, Math.min(1, value)));
            }
        }
        return image;
    }

    /* From the box of a glyph to pixels. StrictMath, because the last bit of Math may differ. */
    private AffineTransform transform(double unit, Random random) {
        double angle = Seeds.uniform(-0.35, 0.35, random);
        double shear = Seeds.uniform(-0.3, 0.3, random);
        double width = unit * Seeds.uniform(0.9, 1.5, random);
        double height = unit * Seeds.uniform(1.0, 1.5, random);
        double right = side / 2.0 + unit * Seeds.uniform(-3, 3, random);
        double down = side / 2.0 + unit * Seeds.uniform(-3, 3, random);
        double cos = StrictMath.cos(angle);
        double sin = StrictMath.sin(angle);
        AffineTransform transform = new AffineTransform(cos, sin, -sin, cos, right, down);
        transform.concatenate(new AffineTransform(width, 0, shear * height, height, 0, 0));
        transform.translate(-GlyphShapes.WIDTH / 2, -GlyphShapes.HEIGHT / 2);
        return transform;
    }

    /** Gray images are light on black; colours are any two whose channels differ by 0.4 on average. */
    private void colours(double[] dark, double[] light, Random random) {
        if (channels == 1) {
            light[0] = Seeds.uniform(0.6, 1, random);
            return;
        }
        double apart;
        do {
            apart = 0;
            for (int c = 0; c < channels; c++) {
                dark[c] = random.nextDouble();
                light[c] = random.nextDouble();
                apart += (light[c] - dark[c]) / channels;
            }
        } while (Math.abs(apart) < 0.4);
    }

    /** Share of a pixel that a round pen covers, 0 to 1; a ramp of one pixel smooths the edge. */
    private static double ink(List<double[]> lines, double x, double y, double pen) {
        double nearest = Double.MAX_VALUE;
        for (double[] line : lines) {
            nearest = Math.min(nearest, Line2D.ptSegDistSq(line[0], line[1], line[2], line[3], x, y));
        }
        return Math.max(0, Math.min(1, pen - Math.sqrt(nearest) + 0.5));
    }
}
