/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
