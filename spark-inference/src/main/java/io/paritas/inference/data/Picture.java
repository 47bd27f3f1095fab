/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** An image file decoded to unsigned bytes (channels, height, width); for an animation, its first frame. */
record Picture(byte[] pixels, int channels, int height, int width) {
    /* ImageIO has more readers, and that of TIFF allocates tiles of whatever size the file declares. */
    private static final Set<String> FORMATS = Set.of("JPEG", "PNG", "GIF", "BMP");

    /* A file of a few bytes can declare any size, and ImageIO allocates that before it finds the file too short. */
    private static final int MOST_PIXELS = 1 << 26;
    /* For a line or column: between the two filters, a resized image has the old height and the new width. */
    private static final int MOST_IN_LINE = 1 << 15;

    /* Where a BMP file has the length of its second header, and the kind of compression if that header is longer than
    the oldest one. */
    private static final int BMP_HEADER = 14;
    private static final int BMP_OLDEST_HEADER = 12;
    private static final int BMP_COMPRESSION = 30;

    /**
     * Reads a JPEG, PNG, GIF or BMP file.
     *
     * @param channels 1 for gray, 3 for red, green, blue
     */
    static Picture read(Path file, int channels) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new DataException("cannot read the image " + file + ": " + e, e);
        }
        Optional<Picture> picture = decode(bytes, "the image " + file, channels);
        if (picture.isEmpty()) {
            throw new DataException(
                    file + " is no image in one of the formats JPEG, PNG, GIF and BMP: move it out of the"
                            + " tree, or convert it");
        }
        return picture.get();
    }

    /**
     * Decodes the bytes of a file.
     *
     * @param name name for messages
     * @return empty if the bytes do not begin as those of one of the formats
     */
    static Optional<Picture> decode(byte[] file, String name, int channels) {
        // ImageIO.read(File) may write a cache file, which can only be switched off for the whole JVM
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            while (readers.hasNext()) {
                ImageReader reader = readers.next();
                try {
                    if (FORMATS.contains(reader.getFormatName().toUpperCase(Locale.ROOT))) {
                        checkNothingInside(file, name);
                        return Optional.of(of(decode(reader, in, name), channels));
                    }
                } finally {
                    reader.dispose();
                }
            }
            return Optional.empty();
        } catch (DataException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // ImageIO's readers throw any exception for damaged files
            throw new DataException("cannot read " + name + ": " + e, e);
        }
    }

    /** Refuses a JPEG that ends early; ImageIO only warns and makes missing parts gray. */
    private static BufferedImage decode(ImageReader reader, ImageInputStream in, String name) throws IOException {
        List<String> warnings = new ArrayList<>();
        reader.addIIOReadWarningListener((source, warning) -> warnings.add(warning));
        reader.setInput(in, true, true);
        checkSize(name, reader.getHeight(0), reader.getWidth(0));
        BufferedImage image = reader.read(0);
        for (String warning : warnings) {
            if (warning.startsWith("Premature end") || warning.startsWith("Corrupt")) {
                throw new DataException(name + " is damaged: " + warning);
            }
        }
        return image;
    }

    /**
     * Refuses a BMP file that has a JPEG or PNG file inside, as printers take them: ImageIO allocates whatever size the
     * header declares for it, and {@link #checkSize} sees the size of the BMP file only.
     */
    private static void checkNothingInside(byte[] file, String name) {
        ByteBuffer header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        if (file.length >= BMP_COMPRESSION + Integer.BYTES
                && file[0] == 'B'
                && file[1] == 'M'
                && header.getInt(BMP_HEADER) != BMP_OLDEST_HEADER) {
            int compression = header.getInt(BMP_COMPRESSION);
            if (compression == 4 || compression == 5) {
                throw new DataException("a BMP file must have pixels, " + name + " has a "
                        + (compression == 4 ? "JPEG" : "PNG") + " file inside: save it in that format");
            }
        }
    }

    static void checkSize(String name, int height, int width) {
        if (Math.max(height, width) > MOST_IN_LINE || (long) height * width > MOST_PIXELS) {
            throw new DataException("an image must have at most " + MOST_PIXELS + " pixels, and " + MOST_IN_LINE
                    + " in each direction, " + name + " has " + height + "x" + width + ": make it smaller");
        }
    }

    private static Picture of(BufferedImage image, int channels) {
        int height = image.getHeight();
        int width = image.getWidth();
        boolean gray = isGray(image.getColorModel());
        boolean bytes = isOfBytes(image.getColorModel());
        Raster raster = image.getRaster();
        int plane = height * width;
        byte[] pixels = new byte[channels * plane];
        int[] line = new int[width];
        byte[] samples = bytes ? new byte[width * raster.getNumDataElements()] : new byte[0];
        for (int y = 0; y < height; y++) {
            if (gray) {
                spread(raster, y, line);
            } else if (bytes) {
                raster.getDataElements(0, y, width, 1, samples);
                pack(samples, raster.getNumDataElements(), line);
            } else {
                image.getRGB(0, y, width, 1, line, 0, width);
            }
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                int red = line[x] >> 16 & 0xFF;
                int green = line[x] >> 8 & 0xFF;
                int blue = line[x] & 0xFF;
                if (channels == 1) {
                    pixels[i] = (byte) Images.luma(red, green, blue);
                } else {
                    pixels[i] = (byte) red;
                    pixels[plane + i] = (byte) green;
                    pixels[2 * plane + i] = (byte) blue;
                }
            }
        }
        return new Picture(pixels, channels, height, width);
    }

    private static boolean isGray(ColorModel model) {
        return model instanceof ComponentColorModel && model.getNumColorComponents() == 1;
    }

    /** Whether samples are bytes of red, green and blue. {@code getRGB} would take as long for them as it takes to decode a JPEG. */
    private static boolean isOfBytes(ColorModel model) {
        return model instanceof ComponentColorModel
                && model.getNumColorComponents() == 3
                && model.getColorSpace().isCS_sRGB()
                && model.getTransferType() == DataBuffer.TYPE_BYTE
                && Arrays.stream(model.getComponentSize()).allMatch(bits -> bits == Byte.SIZE)
                && !model.isAlphaPremultiplied();
    }

    private static void pack(byte[] samples, int inPixel, int[] line) {
        for (int x = 0; x < line.length; x++) {
            int i = x * inPixel;
            line[x] = (samples[i] & 0xFF) << 16 | (samples[i + 1] & 0xFF) << 8 | (samples[i + 2] & 0xFF);
        }
    }

    /** Gray samples as red, green and blue. Java treats them as linear light, so getRGB would brighten them. */
    private static void spread(Raster raster, int y, int[] line) {
        raster.getSamples(0, y, line.length, 1, 0, line);
        int shift = raster.getSampleModel().getSampleSize(0) - 8;
        for (int x = 0; x < line.length; x++) {
            line[x] = (line[x] >> shift) * 0x010101;
        }
    }

    /** This picture resized as by {@link Images#resize}; itself if it has that size. */
    Picture resized(int newHeight, int newWidth) {
        return newHeight == height && newWidth == width
                ? this
                : resized(
                        Resampling.bilinear(height, newHeight),
                        Resampling.bilinear(width, newWidth),
                        newHeight,
                        newWidth);
    }

    /** Filters the dimensions one after another. The 8-bit results are rounded once, at the end. */
    Picture resized(Resampling rows, Resampling columns, int newHeight, int newWidth) {
        float[] line = new float[width];
        float[] narrow = new float[channels * height * newWidth];
        for (int y = 0; y < channels * height; y++) {
            for (int x = 0; x < width; x++) {
                line[x] = pixels[y * width + x] & 0xFF;
            }
            System.arraycopy(columns.apply(line, 1), 0, narrow, y * newWidth, newWidth);
        }
        float[] resized = rows.apply(narrow, newWidth);
        byte[] bytes = new byte[resized.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (int) (resized[i] + 0.5f);
        }
        return new Picture(bytes, channels, newHeight, newWidth);
    }
}
