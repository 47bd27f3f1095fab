/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageFoldersTest {
    @TempDir
    private Path tree;

    /** Writes an image of one colour in the format of its ending. */
    static Path write(Path file, int height, int width, int rgb) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < height * width; i++) {
            image.setRGB(i % width, i / width, rgb);
        }
        return write(file, image);
    }

    private static Path write(Path file, BufferedImage image) throws IOException {
        Files.createDirectories(file.getParent());
        String name = file.getFileName().toString();
        String format = name.substring(name.lastIndexOf('.') + 1);
        assertThat(ImageIO.write(image, format, file.toFile())).as(format).isTrue();
        return file;
    }

    private Path path(String name) {
        return tree.resolve(name);
    }

    @Test
    void classesAndImagesAreInLexicographicOrder() throws IOException {
        write(path("2/a.png"), 2, 3, 0x020000);
        write(path("10/b.png"), 2, 3, 0x100b00);
        write(path("10/B.png"), 2, 3, 0x100B01);
        write(path("10/.hidden.png"), 9, 9, 0);
        Files.writeString(path("README.txt"), "beside the folders");
        ImageSet set = ImageFolders.RGB.read(tree);
        assertThat(set).hasToString("3 images (3, 2, 3) of 2 classes");
        assertThat(set.classes()).containsExactly("10", "2");
        assertThat(IntStream.range(0, 3).map(set::label)).containsExactly(0, 0, 1);
        assertThat(set.image(0)[12]).isEqualTo((byte) 1);
        assertThat(set.image(2)).startsWith(2, 2, 2, 2, 2, 2, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "gif", "bmp", "jpg"})
    void readsEachFormat(String format) throws IOException {
        write(path("a/1." + format), 16, 16, 0xFF0000);
        byte[] image = ImageFolders.RGB.read(tree).image(0);
        assertThat(image[0] & 0xFF).isBetween(252, 255);
        assertThat(image[256] & 0xFF).isBetween(0, 3);
        assertThat(image[512] & 0xFF).isBetween(0, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "gif", "bmp", "jpg"})
    void refusesFilesThatEndEarly(String format) throws IOException {
        BufferedImage image = new BufferedImage(40, 40, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 1600; i++) {
            image.setRGB(i % 40, i / 40, i * 7919 & 0xF0F0F0);
        }
        Path file = write(path("a/1." + format), image);
        byte[] whole = Files.readAllBytes(file);
        for (int length : new int[] {0, 1, 10, whole.length / 4, whole.length / 2, whole.length * 3 / 4}) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ImageFolders.RGB.read(tree))
                    .as("%s of %s bytes", length, whole.length)
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining(file.toString());
        }
    }

    @Test
    void grayIsReadAsItWasWritten() throws IOException {
        BufferedImage gray = new BufferedImage(16, 16, BufferedImage.TYPE_BYTE_GRAY);
        for (int i = 0; i < 256; i++) {
            gray.getRaster().setSample(i % 16, i / 16, 0, i);
        }
        write(path("a/1.png"), gray);
        byte[] image = ImageFolders.GRAY.read(tree).image(0);
        byte[] colours = ImageFolders.RGB.read(tree).image(0);
        for (int i = 0; i < 256; i++) {
            assertThat(image[i]).isEqualTo((byte) i);
            assertThat(colours[512 + i]).isEqualTo((byte) i);
        }
    }

    @Test
    void grayOfSixteenBitsKeepsTheUpperEight() throws IOException {
        BufferedImage gray = new BufferedImage(1, 1, BufferedImage.TYPE_USHORT_GRAY);
        gray.getRaster().setSample(0, 0, 0, 0xABCD);
        write(path("a/1.png"), gray);
        assertThat(ImageFolders.GRAY.read(tree).image(0)).containsExactly((byte) 0xAB);
    }

    @Test
    void coloursBecomeGrayByTheirBrightness() throws IOException {
        write(path("a/1.png"), 1, 1, 0xFF0000);
        write(path("a/2.png"), 1, 1, 0x00FF00);
        write(path("a/3.png"), 1, 1, 0x0000FF);
        write(path("a/4.png"), 1, 1, 0x808080);
        ImageSet set = ImageFolders.GRAY.read(tree);
        // Pillow's convert("L")
        assertThat(IntStream.range(0, 4).map(i -> set.image(i)[0] & 0xFF)).containsExactly(76, 150, 29, 128);
    }

    @Test
    void resizesWhenAsked() throws IOException {
        write(path("a/1.png"), 8, 8, 0x102030);
        write(path("a/2.png"), 5, 3, 0x405060);
        for (ImageFolders reader :
                new ImageFolders[] {ImageFolders.RGB.resized(4, 2), ImageFolders.RGB.resizedNearest(4, 2)}) {
            ImageSet set = reader.read(tree);
            assertThat(set.shape()).containsExactly(3, 4, 2);
            assertThat(set.image(0)).startsWith(0x10, 0x10).endsWith(0x30);
            assertThat(set.image(1)).startsWith(0x40, 0x40).endsWith(0x60);
        }
        assertThatThrownBy(() -> ImageFolders.GRAY.resized(0, 4))
                .hasMessage("the size of images must be at least 1x1, got 0x4");
    }

    @Test
    void resizingRoundsToTheNearestByte() throws IOException {
        BufferedImage image = new BufferedImage(2, 1, BufferedImage.TYPE_INT_RGB);
        image.setRGB(0, 0, 0xFFFFFF);
        write(path("a/1.png"), image);
        assertThat(ImageFolders.GRAY.resized(1, 1).read(tree).image(0)).containsExactly((byte) 128);
        assertThat(ImageFolders.GRAY.resizedNearest(1, 3).read(tree).image(0)).containsExactly(-1, 0, 0);
    }

    @Test
    void refusesUnequalSizesNamingTheFirstTwo() throws IOException {
        Path first = write(path("a/1.png"), 2, 3, 0);
        write(path("a/2.png"), 2, 3, 0);
        Path other = write(path("b/1.png"), 2, 4, 0);
        write(path("b/2.png"), 7, 7, 0);
        assertThatThrownBy(() -> ImageFolders.RGB.read(tree))
                .isInstanceOf(DataException.class)
                .hasMessage("images must have one size (height x width), " + first + " has 2x3 and " + other
                        + " has 2x4: resize them");
    }

    @Test
    void refusesFilesThatAreNoImages() throws IOException {
        write(path("a/1.png"), 2, 3, 0);
        Path notes = Files.writeString(path("a/notes.txt"), "not an image");
        assertThatThrownBy(() -> ImageFolders.RGB.read(tree))
                .isInstanceOf(DataException.class)
                .hasMessage(
                        notes + " is no image in one of the formats JPEG, PNG, GIF and BMP: move it out of the tree,"
                                + " or convert it");
        Files.delete(notes);
        Path inner = Files.createDirectory(path("a/inner"));
        assertThatThrownBy(() -> ImageFolders.RGB.read(tree)).hasMessageStartingWith("cannot read the image " + inner);
    }

    @Test
    void refusesTreesWithoutImages() throws IOException {
        assertThatThrownBy(() -> ImageFolders.RGB.read(tree))
                .isInstanceOf(DataException.class)
                .hasMessage("a tree of images must have a folder for each class, " + tree + " has no folder");
        write(path("a/1.png"), 2, 3, 0);
        Files.createDirectory(path("b"));
        assertThatThrownBy(() -> ImageFolders.RGB.read(tree))
                .hasMessage("every class must have images, " + path("b") + " has none");
        assertThatThrownBy(() -> ImageFolders.RGB.read(path("absent")))
                .hasMessageStartingWith("cannot list " + path("absent"));
    }

    @Test
    void manyImagesComeInOrder() throws IOException {
        for (int i = 0; i < 300; i++) {
            write(path("c" + i / 100 + "/" + String.format("%03d.png", i)), 1, 1, i);
        }
        ImageSet set = ImageFolders.RGB.read(tree);
        for (int i = 0; i < 300; i++) {
            assertThat(set.image(i)).containsExactly((byte) 0, (byte) (i >> 8), (byte) i);
            assertThat(set.label(i)).isEqualTo(i / 100);
        }
    }
}
