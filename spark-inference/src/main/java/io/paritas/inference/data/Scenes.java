/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Draws what a fixed camera sees of a street, with a car or without: the task of a NoScope network (Kang et al., VLDB 2017), as data
 * for trials. Houses and road are those of the seed and the same in all images. The light changes, clouds and shadows move, people
 * walk by, and in half of the images a car or a van of any colour is on one of two lanes, or partly. Such images are easier than
 * a film, so accuracies on them say nothing about real streets. Image i depends on the seed and i only, so a smaller set is the
 * beginning of a larger one. Images are equal to the bit on every machine and JDK.
 *
 * @param count number of images, at least 1
 * @param seed seed of all random choices
 * @param side height and width in pixels, 16 to 1024
 */
record Scenes(int count, long seed, int side) {
    /** 10,000 images of 50 × 50 pixels, as NoScope's networks take them. */
    static final Scenes DEFAULT = new Scenes(10_000, 1, 50);

    private static final List<String> CLASSES = List.of("car", "none");

    /** The number of no image: that of the street. */
    private static final int STREET = -1;

    private static final double PAVEMENT = 22;
    private static final double ROAD = 26;
    private static final double[] BLACK = {0, 0, 0};
    private static final double[] TYRE = {0.06, 0.06, 0.07};
    private static final double[] WINDOW = {0.55, 0.65, 0.72};
    private static final double[] LAMP = {1, 0.95, 0.7};

    /** Checks the ranges. */
    Scenes {
        if (count < 1) {
            throw new IllegalArgumentException("the count of scenes must be at least 1, got " + count);
        }
        if (side < 16 || side > 1024) {
            throw new IllegalArgumentException("the side of scenes must be 16 to 1024 pixels, got " + side);
        }
    }

    /** Draws the images, in colours, on the common pool. */
    ImageSet draw() {
        Canvas street = street(Seeds.random(seed, STREET));
        int[] labels = new int[count];
        byte[][] images = new byte[count][];
        IntStream.range(0, count).parallel().forEach(i -> {
            Random random = Seeds.random(seed, i);
            labels[i] = random.nextInt(CLASSES.size());
            images[i] = image(street, CLASSES.get(labels[i]).equals("car"), random);
        });
        return ImageSet.wrap(List.of(3, side, side), images, labels, CLASSES);
    }

    /** What never moves. */
    private Canvas street(Random random) {
        Canvas street = new Canvas(side);
        street.rectangle(0, 0, Canvas.UNITS, PAVEMENT, new double[] {0.55, 0.7, 0.9});
        double left = 0;
        while (left < Canvas.UNITS) {
            double width = Seeds.uniform(6, 14, random);
            double height = Seeds.uniform(8, 18, random);
            double[] wall = colour(0.25, 0.75, random);
            street.rectangle(left, PAVEMENT - height, width, height, wall);
            for (double top = PAVEMENT - height + 2; top < PAVEMENT - 3; top += 4) {
                for (double x = left + 1.5; x < left + width - 1.5; x += 3) {
                    street.rectangle(x, top, 1.2, 2, WINDOW);
                }
            }
            left += width + Seeds.uniform(0, 2, random);
        }
        street.rectangle(0, PAVEMENT, Canvas.UNITS, ROAD - PAVEMENT, new double[] {0.6, 0.58, 0.55});
        street.rectangle(0, ROAD, Canvas.UNITS, Canvas.UNITS - ROAD, new double[] {0.33, 0.33, 0.35});
        for (double x = Seeds.uniform(-4, 0, random); x < Canvas.UNITS; x += 8) {
            street.rectangle(x, 36, 4, 0.8, new double[] {0.85, 0.85, 0.8});
        }
        return street;
    }

    private static byte[] image(Canvas street, boolean isCarThere, Random random) {
        Canvas canvas = new Canvas(street);
        double light = Seeds.uniform(0.3, 1, random);
        for (int cloud = random.nextInt(3); cloud > 0; cloud--) {
            double x = Seeds.uniform(0, Canvas.UNITS, random);
            canvas.ellipse(
                    x, Seeds.uniform(0, 4, random), Seeds.uniform(3, 8, random), 2, new double[] {0.9, 0.9, 0.92});
        }
        for (int person = random.nextInt(3); person > 0; person--) {
            walk(canvas, random);
        }
        for (int shadow = random.nextInt(3); shadow > 0; shadow--) {
            double x = Seeds.uniform(-10, Canvas.UNITS, random);
            canvas.shade(
                    x,
                    ROAD,
                    Seeds.uniform(4, 16, random),
                    Seeds.uniform(3, 20, random),
                    Seeds.uniform(0.2, 0.5, random),
                    BLACK);
        }
        if (isCarThere) {
            drive(canvas, light < 0.5, random);
        }
        canvas.dim(light);
        return canvas.bytes(Seeds.uniform(0.01, 0.05, random), random);
    }

    private static void walk(Canvas canvas, Random random) {
        double x = Seeds.uniform(0, Canvas.UNITS, random);
        double ground = Seeds.uniform(PAVEMENT + 2, ROAD, random);
        canvas.rectangle(x, ground - 5, 1.6, 5, colour(0, 1, random));
        canvas.ellipse(x + 0.8, ground - 5.8, 0.9, 0.9, new double[] {0.75, 0.6, 0.5});
    }

    /** A car to the right on the lane that is near, or to the left on the other one; at least a quarter of it is in the picture. */
    private static void drive(Canvas canvas, boolean isDark, Random random) {
        boolean isNear = random.nextBoolean();
        boolean isVan = random.nextInt(4) == 0;
        double size = isNear ? Seeds.uniform(1, 1.2, random) : Seeds.uniform(0.7, 0.85, random);
        double ground = isNear ? Seeds.uniform(43, 46, random) : Seeds.uniform(32.5, 34.5, random);
        double length = 15 * size;
        double left = Seeds.uniform(-0.75 * length, Canvas.UNITS - 0.25 * length, random);
        double[] paint = colour(0, 1, random);
        double roof = size * (isVan ? 8.5 : 7.5);
        double cabin = isVan ? 0.95 * length : 0.5 * length;
        double cabinLeft = left + (isVan ? 0.025 : 0.25) * length;
        canvas.rectangle(cabinLeft, ground - roof, cabin, roof - size, paint);
        canvas.rectangle(cabinLeft + size, ground - roof + 0.8 * size, cabin - 2 * size, 2 * size, WINDOW);
        canvas.rectangle(left, ground - 4.8 * size, length, 3.6 * size, paint);
        for (double wheel : new double[] {0.22, 0.78}) {
            canvas.ellipse(left + wheel * length, ground - 1.4 * size, 1.5 * size, 1.5 * size, TYRE);
        }
        if (isDark) {
            double front = isNear ? left + length - size : left;
            canvas.rectangle(front, ground - 4.2 * size, size, size, LAMP);
        }
    }

    private static double[] colour(double from, double to, Random random) {
        return new double[] {
            Seeds.uniform(from, to, random), Seeds.uniform(from, to, random), Seeds.uniform(from, to, random)
        };
    }
}
