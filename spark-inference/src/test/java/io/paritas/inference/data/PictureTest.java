/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PictureTest {
    /** ImageIO would allocate the 2 GB that the header declares. */
    @ParameterizedTest
    @CsvSource({"4, JPEG", "5, PNG"})
    void refusesABitmapWithAnotherFileInside(int compression, String format) {
        ByteBuffer file = ByteBuffer.allocate(80).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 'B').put((byte) 'M').putInt(file.capacity()).putInt(0).putInt(54);
        file.putInt(40).putInt(2).putInt(2).putShort((short) 1).putShort((short) 24);
        file.putInt(compression).putInt(Integer.MAX_VALUE - 8);

        assertThatThrownBy(() -> Picture.decode(file.array(), "the image cat.bmp", 3))
                .isInstanceOf(DataException.class)
                .hasMessage("a BMP file must have pixels, the image cat.bmp has a " + format
                        + " file inside: save it in that format");
    }

    /** The JDK's reader would allocate the tile of 2 GB that the file of 206 bytes declares for its 4 by 4 pixels. */
    @ParameterizedTest
    @ValueSource(strings = {"tiff", "tiff-with-a-large-tile"})
    void takesNoOtherFormatsOfTheJdk(String name) throws IOException {
        byte[] file = Files.readAllBytes(Path.of("src/test/fuzz/io.paritas.inference.data.PictureFuzz", name));

        assertThat(Picture.decode(file, "the image", 3)).isEmpty();
    }

    /** Whatever the order in which the file keeps its samples. */
    @ParameterizedTest
    @CsvSource({"png, 5, 3", "png, 6, 3", "bmp, 5, 3", "png, 5, 1", "png, 6, 1", "png, 13, 3"})
    void hasTheColoursOfItsPixels(String format, int type, int channels) throws IOException {
        BufferedImage image = new BufferedImage(5, 3, type);
        SplittableRandom random = new SplittableRandom(1);
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 5; x++) {
                image.setRGB(x, y, random.nextInt());
            }
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, file)).isTrue();

        Picture picture =
                Picture.decode(file.toByteArray(), "the image", channels).orElseThrow();

        byte[] expected = new byte[channels * 15];
        for (int i = 0; i < 15; i++) {
            Color color = new Color(image.getRGB(i % 5, i / 5), true);
            int[] rgb = {color.getRed(), color.getGreen(), color.getBlue()};
            for (int channel = 0; channel < channels; channel++) {
                expected[channel * 15 + i] =
                        (byte) (channels == 1 ? Images.luma(rgb[0], rgb[1], rgb[2]) : rgb[channel]);
            }
        }
        assertThat(picture.pixels()).isEqualTo(expected);
    }
}
