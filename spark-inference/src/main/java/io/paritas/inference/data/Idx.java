/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import io.paritas.inference.GzipStream;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Reads the format of MNIST, Fashion-MNIST and others: a file of images and a file of labels, plain or compressed by gzip (the
 * first bytes tell). Numbers are big-endian.
 *
 * <pre>
 * images: 00 00 08 03, int count, int height, int width, then height × width bytes for each image, 0 black
 * labels: 00 00 08 01, int count, then a byte for each image
 * </pre>
 *
 * Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits".
 */
final class Idx {
    private static final int IMAGES = 0x0803;
    private static final int LABELS = 0x0801;
    private static final int GZIP = 0x1F8B;
    /* What an image takes beside its pixels: the header of an array, its padding, and its places in lists. */
    private static final int OVERHEAD_BYTES = 48;

    private Idx() {}

    /**
     * Reads gray images of the shape (1, height, width). The number of classes is the greatest label plus one; their names are
     * numbers, with leading zeros for more than ten.
     *
     * @throws DataException if a file cannot be read, is of another kind, too short or too long, or the counts differ
     */
    public static ImageSet read(Path images, Path labels) {
        List<Integer> shape = new ArrayList<>(List.of(1));
        List<byte[]> pixels = new ArrayList<>();
        read(images, IMAGES, "IDX images of unsigned bytes", in -> {
            int count = size(in, images);
            shape.add(size(in, images));
            shape.add(size(in, images));
            long bytes = (long) shape.get(1) * shape.get(2);
            if (bytes > Integer.MAX_VALUE) {
                throw new DataException("an image must have less than 2 GiB, " + images + " has the shape " + shape);
            }
            long most = Runtime.getRuntime().maxMemory();
            if (bytes + OVERHEAD_BYTES > most / count) {
                throw new DataException("images must fit into Java's memory, " + images + " has " + count + " of "
                        + bytes + " bytes, and Java " + (most >> 20)
                        + " MiB: give it more, as with PARITAS_OPTS=-Xmx8g, or take fewer images");
            }
            for (int i = 0; i < count; i++) {
                pixels.add(bytes(in, (int) bytes, images, "image " + i + " of " + count));
            }
        });
        int[] classes = labels(labels, images, pixels.size());
        int greatest = Arrays.stream(classes).max().orElse(0);
        return ImageSet.wrap(shape, pixels.toArray(byte[][]::new), classes, ClassNames.numbers(greatest + 1));
    }

    private static int[] labels(Path file, Path images, int expected) {
        List<byte[]> bytes = new ArrayList<>();
        read(file, LABELS, "IDX labels of unsigned bytes", in -> {
            int count = size(in, file);
            if (count != expected) {
                throw new DataException("every image must have a label, " + images + " has " + expected + " images and "
                        + file + " " + count + " labels");
            }
            bytes.add(bytes(in, count, file, count + " labels"));
        });
        byte[] labels = bytes.get(0);
        int[] result = new int[labels.length];
        Arrays.setAll(result, i -> labels[i] & 0xFF);
        return result;
    }

    private interface Body {
        void read(DataInputStream in) throws IOException;
    }

    private static void read(Path file, int magic, String kind, Body body) {
        try (DataInputStream in = new DataInputStream(open(file))) {
            int found = in.readInt();
            if (found != magic) {
                throw new DataException(String.format(
                        Locale.ROOT,
                        "%s start with %08x, %s with %08x: are images and labels exchanged?",
                        kind,
                        magic,
                        file,
                        found));
            }
            body.read(in);
            if (in.read() >= 0) {
                throw new DataException(file + " is longer than its header says: is it damaged?");
            }
        } catch (EOFException e) {
            throw new DataException(file + " ends within its header: was it copied completely?", e);
        } catch (IOException e) {
            throw new DataException("cannot read " + file + ": " + e, e);
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            in.mark(2);
            boolean gzip = (in.read() << 8 | in.read()) == GZIP;
            in.reset();
            return gzip ? new BufferedInputStream(new GzipStream(in), 1 << 16) : in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private static int size(DataInputStream in, Path file) throws IOException {
        int size = in.readInt();
        if (size < 1) {
            throw new DataException("counts and sizes must be at least 1, " + file + " has " + size);
        }
        return size;
    }

    /** Allocates while reading, so that a damaged header cannot take all memory. */
    private static byte[] bytes(DataInputStream in, int count, Path file, String what) throws IOException {
        byte[] bytes;
        try {
            bytes = in.readNBytes(count);
        } catch (EOFException e) {
            throw new DataException(file + " ends within " + what + ": was it copied completely?", e);
        }
        if (bytes.length < count) {
            throw new DataException(file + " ends within " + what + ": was it copied completely?");
        }
        return bytes;
    }
}
