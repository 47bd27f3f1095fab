/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdxTest {
    @TempDir
    private Path folder;

    private Path images;
    private Path labels;

    @BeforeEach
    void twoImages() throws IOException {
        images = write("images", images(2, 1, 3, 1, 2, 3, 4, 5, 255));
        labels = write("labels", labels(2, 1, 0));
    }

    /** A file of images, with the header's claims and the pixels given. */
    static byte[] images(int count, int height, int width, int... pixels) {
        return idx(0x0803, new int[] {count, height, width}, pixels);
    }

    static byte[] labels(int count, int... labels) {
        return idx(0x0801, new int[] {count}, labels);
    }

    private static byte[] idx(int magic, int[] sizes, int[] values) {
        ByteBuffer file =
                ByteBuffer.allocate(4 + 4 * sizes.length + values.length).putInt(magic);
        for (int size : sizes) {
            file.putInt(size);
        }
        for (int value : values) {
            file.put((byte) value);
        }
        return file.array();
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    static void writeGzip(Path file, byte[] bytes) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(bytes);
        }
    }

    @Test
    void readsImagesAndLabels() {
        ImageSet set = Idx.read(images, labels);
        assertThat(set).hasToString("2 images (1, 1, 3) of 2 classes");
        assertThat(set.image(1)).containsExactly(4, 5, -1);
        assertThat(set.label(0)).isEqualTo(1);
        assertThat(set.classes()).containsExactly("0", "1");
    }

    @Test
    void readsGzipWhateverItsName() throws IOException {
        writeGzip(images, images(2, 1, 3, 1, 2, 3, 4, 5, 255));
        assertThat(Idx.read(images, labels).image(1)).containsExactly(4, 5, -1);
    }

    @Test
    void namesOfManyClassesAreInTheOrderOfTheirNumbers() throws IOException {
        write("labels", labels(2, 1, 11));
        assertThat(Idx.read(images, labels).classes())
                .hasSize(12)
                .startsWith("00", "01")
                .endsWith("10", "11");
    }

    @Test
    void refusesOtherKindsOfFiles() throws IOException {
        assertThatThrownBy(() -> Idx.read(labels, images))
                .isInstanceOf(DataException.class)
                .hasMessage("IDX images of unsigned bytes start with 00000803, " + labels
                        + " with 00000801: are images and labels exchanged?");
        write("images", new byte[] {0, 0});
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage(images + " ends within its header: was it copied completely?");
        write("images", new byte[0]);
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage(images + " ends within its header: was it copied completely?");
        Path absent = folder.resolve("absent");
        assertThatThrownBy(() -> Idx.read(absent, labels))
                .hasMessage("cannot read " + absent + ": java.nio.file.NoSuchFileException: " + absent);
    }

    @Test
    void refusesFilesTooShortOrTooLong() throws IOException {
        write("images", images(2, 1, 3, 1, 2, 3, 4, 5));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage(images + " ends within image 1 of 2: was it copied completely?");
        write("images", images(2, 1, 3, 1, 2, 3, 4, 5, 6, 7));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage(images + " is longer than its header says: is it damaged?");
        twoImages();
        write("labels", labels(2, 1));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage(labels + " ends within 2 labels: was it copied completely?");
    }

    @Test
    void refusesATruncatedArchive() throws IOException {
        writeGzip(images, images(2, 1, 3, 1, 2, 3, 4, 5, 255));
        byte[] whole = Files.readAllBytes(images);
        for (int length = 0; length < whole.length; length++) {
            write("images", Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> Idx.read(images, labels))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining(images.toString());
        }
    }

    @Test
    void refusesImpossibleSizesWithoutAllocating() throws IOException {
        write("images", images(Integer.MAX_VALUE, 1 << 14, 1 << 14, 1));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .isInstanceOf(DataException.class)
                .hasMessageStartingWith("images must fit into Java's memory, " + images
                        + " has 2147483647 of 268435456 bytes, and Java ")
                .hasMessageEndingWith(" MiB: give it more, as with PARITAS_OPTS=-Xmx8g, or take fewer images");
        write("images", images(1, 1 << 16, 1 << 16, 1));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage("an image must have less than 2 GiB, " + images + " has the shape [1, 65536, 65536]");
        write("images", images(-1, 1, 1));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage("counts and sizes must be at least 1, " + images + " has -1");
    }

    @Test
    void refusesCountsThatDisagreeBeforeLabelsAreRead() throws IOException {
        write("labels", labels(Integer.MAX_VALUE));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .hasMessage("every image must have a label, " + images + " has 2 images and " + labels
                        + " 2147483647 labels");
    }

    /** Each takes more memory than its pixel, and before the mostly empty file ends, all of it. */
    @Test
    void countsWhatImagesTakeBesideTheirPixels() throws IOException {
        int count = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4);
        write("images", images(count, 1, 1));
        assertThatThrownBy(() -> Idx.read(images, labels))
                .isInstanceOf(DataException.class)
                .hasMessageStartingWith(
                        "images must fit into Java's memory, " + images + " has " + count + " of 1 bytes, and Java ");
    }
}
