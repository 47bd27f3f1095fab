/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** One image file, decoded to unsigned bytes (channels, height, width); of an animation, the first frame. */
record Picture(byte[] pixels, int channels, int height, int width) {

    /**
     * Reads a file in a format that ImageIO knows.
     *
     * @param channels 1 for gray, 3 for red, green, blue
     */
    static Picture read(Path file, int channels) {
        try {
            return of(decode(file), channels);
        } catch (DataException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // ImageIO's readers answer damaged files with any exception
            throw new DataException("cannot read the image " + file + ": " + e, e);
        }
    }

    /** A stream in memory: ImageIO.read(File) may write a cache file, and switching that off is for the whole JVM. */
    private static BufferedImage decode(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                throw new DataException(
                        file + " is no image in one of the formats JPEG, PNG, GIF and BMP: move it out of"
                                + " the tree, or convert it");
            }
            ImageReader reader = readers.next();
            try {
                return decode(reader, in, file);
            } finally {
                reader.dispose();
            }
        }
    }

    /** A JPEG that ends early is only warned of, and gray where bytes are missing. */
    private static BufferedImage decode(ImageReader reader, ImageInputStream in, Path file) throws IOException {
        List<String> warnings = new ArrayList<>();
        reader.addIIOReadWarningListener((source, warning) -> warnings.add(warning));
        reader.setInput(in, true, true);
        BufferedImage image = reader.read(0);
        for (String warning : warnings) {
            if (warning.startsWith("Premature end") || warning.startsWith("Corrupt")) {
                throw new DataException("the image " + file + " is damaged: " + warning);
            }
        }
        return image;
    }

    private static Picture of(BufferedImage image, int channels) {
        int height = image.getHeight();
        int width = image.getWidth();
        boolean gray = isGray(image.getColorModel());
        int[] rgb = gray ? spread(image.getRaster()) : image.getRGB(0, 0, width, height, null, 0, width);
        byte[] pixels = new byte[channels * rgb.length];
        for (int i = 0; i < rgb.length; i++) {
            int red = rgb[i] >> 16 & 0xFF;
            int green = rgb[i] >> 8 & 0xFF;
            int blue = rgb[i] & 0xFF;
            if (channels == 1) {
                pixels[i] = (byte) luma(red, green, blue);
            } else {
                pixels[i] = (byte) red;
                pixels[rgb.length + i] = (byte) green;
                pixels[2 * rgb.length + i] = (byte) blue;
            }
        }
        return new Picture(pixels, channels, height, width);
    }

    /** ITU-R 601, in Pillow's integers; equal parts give themselves. */
    private static int luma(int red, int green, int blue) {
        return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
    }

    private static boolean isGray(ColorModel model) {
        return model instanceof ComponentColorModel && model.getNumColorComponents() == 1;
    }

    /** Gray samples as red, green and blue. Java takes them for linear light, and getRGB would brighten them. */
    private static int[] spread(Raster raster) {
        int[] samples = raster.getSamples(0, 0, raster.getWidth(), raster.getHeight(), 0, (int[]) null);
        int shift = raster.getSampleModel().getSampleSize(0) - 8;
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (samples[i] >> shift) * 0x010101;
        }
        return samples;
    }

    /** Filters each dimension by itself; 8-bit results are rounded once, at the end. */
    Picture resized(Resampling rows, Resampling columns, int newHeight, int newWidth) {
        float[] values = new float[pixels.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = pixels[i] & 0xFF;
        }
        float[] resized = rows.apply(columns.apply(values, 1), newWidth);
        byte[] bytes = new byte[resized.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (int) (resized[i] + 0.5f);
        }
        return new Picture(bytes, channels, newHeight, newWidth);
    }
}
