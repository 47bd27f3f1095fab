/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads real data sets where they are: in the folder of the system property {@code paritas.data}, or in
 * {@code ../shared/data} beside the repository.
 */
@Tag("slow")
class RealDataTest {
    @TempDir
    private Path folder;

    @Test
    void mnist() {
        Path data = RealData.folderWith("train-images-idx3-ubyte.gz");
        LabelledImages images = DataSource.load("mnist:" + data);
        assertThat(images.train().shape()).containsExactly(1, 28, 28);
        assertThat(images.train().classes()).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertThat(images.train().size()).isGreaterThanOrEqualTo(8000);
        assertThat(images.test().size()).isGreaterThanOrEqualTo(2000);
        assertThat(mean(images.test())).isBetween(0.12, 0.14);
    }

    /** The test images stand for the training images, which take five times as long. */
    @Test
    void cifar10() throws IOException {
        unpack(RealData.folderWith("cifar10-images.tgz").resolve("cifar10-images.tgz"), "test/");
        ImageSet test = ImageFolders.RGB.read(folder.resolve("test"));
        assertThat(test).hasToString("10000 images (3, 32, 32) of 10 classes");
        assertThat(test.classes()).isEqualTo(CifarBinary.CLASSES);
        assertThat(test.label(9999)).isEqualTo(9);
        assertThat(mean(test)).isBetween(0.46, 0.49);
    }

    private static double mean(ImageSet images) {
        float[] values = new float[images.imageSize()];
        double sum = 0;
        for (int i = 0; i < images.size(); i++) {
            images.toFloats(i, Normalization.NONE, values, 0);
            for (float value : values) {
                sum += value;
            }
        }
        return sum / images.size() / values.length;
    }

    /** A tar file is, for each entry, a header of 512 bytes and its bytes up to a multiple of 512. */
    private void unpack(Path archive, String prefix) throws IOException {
        try (InputStream in = new BufferedInputStream(new GZIPInputStream(Files.newInputStream(archive)), 1 << 16)) {
            for (byte[] header = in.readNBytes(512);
                    header.length == 512 && header[0] != 0;
                    header = in.readNBytes(512)) {
                String name = text(header, 0, 100);
                int size = Integer.parseInt(text(header, 124, 12), 8);
                byte[] bytes = in.readNBytes(size);
                in.skipNBytes(-size & 511);
                if (name.startsWith(prefix) && !name.endsWith("/")) {
                    Path file = folder.resolve(name);
                    Files.createDirectories(file.getParent());
                    Files.write(file, bytes);
                }
            }
        }
    }

    private static String text(byte[] header, int from, int length) {
        String field = new String(header, from, length, StandardCharsets.US_ASCII);
        return field.substring(
                        0,
                        Stream.of(field.indexOf('\0'), length)
                                .filter(i -> i >= 0)
                                .findFirst()
                                .orElseThrow())
                .strip();
    }
}
