/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.data.Images;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.ImageLayout;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageColumnsTest {
    private static final TensorSpec COLOURS = new TensorSpec("x", List.of(3, 2, 2));
    private static final TensorSpec GRAY = new TensorSpec("x", List.of(1, 2, 2));
    private static final List<String> FORMATS = List.of("png", "jpg", "gif", "bmp");
    private static final InputFormat RGB = format(ChannelOrder.RGB);
    private static final InputFormat BGR = format(ChannelOrder.BGR);

    /** The schema of Spark's image source, inside of its column. */
    private static final StructType STRUCT = new StructType()
            .add("origin", DataTypes.StringType)
            .add("height", DataTypes.IntegerType)
            .add("width", DataTypes.IntegerType)
            .add("nChannels", DataTypes.IntegerType)
            .add("mode", DataTypes.IntegerType)
            .add("data", DataTypes.BinaryType);

    private static InputFormat format(ChannelOrder channels) {
        return new InputFormat(BinaryContent.IMAGE, ImageLayout.NCHW, channels, 1, List.of(0f), List.of(1f));
    }

    private static RowReader reader(TensorSpec model, InputFormat format, DataType type) {
        return RowReader.of(model, format, List.of("c"), List.of(type));
    }

    private static int[] read(TensorSpec model, InputFormat format, DataType type, Object value) throws RowException {
        RowReader reader = reader(model, format, type);
        assertThat(reader.element()).isEqualTo(Element.UINT8);
        InternalRow row =
                UnsafeProjection.create(new DataType[] {type}).apply(new GenericInternalRow(new Object[] {value}));
        ByteBuffer into = ByteBuffer.allocate(reader.rowBytes());
        reader.read(row, into);
        assertThat(into.hasRemaining()).isFalse();
        return unsigned(into.array());
    }

    private static int[] file(TensorSpec model, InputFormat format, byte[] file) throws RowException {
        return read(model, format, DataTypes.BinaryType, file);
    }

    private static int[] unsigned(byte[] bytes) {
        int[] values = new int[bytes.length];
        Arrays.setAll(values, i -> bytes[i] & 0xFF);
        return values;
    }

    private static BufferedImage image(int type, int height, int width, int... rgb) {
        BufferedImage image = new BufferedImage(width, height, type);
        for (int i = 0; i < rgb.length; i++) {
            image.setRGB(i % width, i / width, rgb[i]);
        }
        return image;
    }

    private static byte[] encoded(String format, BufferedImage image) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            assertThat(ImageIO.write(image, format, bytes)).isTrue();
        } catch (IOException e) {
            throw new AssertionError("memory takes all", e);
        }
        return bytes.toByteArray();
    }

    private static byte[] fourColours(String format) {
        return encoded(format, image(BufferedImage.TYPE_INT_RGB, 2, 2, 0x010203, 0x0A0B0C, 0xFF0000, 0x0000FF));
    }

    private static byte[] noise(String format) {
        int[] noise = new int[1600];
        Arrays.setAll(noise, i -> i * 7919 & 0xF0F0F0);
        return encoded(format, image(BufferedImage.TYPE_INT_RGB, 40, 40, noise));
    }

    private static void refuses(RowReader reader, Object value, String message) {
        ByteBuffer into = ByteBuffer.allocate(100).position(3);
        assertThatThrownBy(() -> reader.read(new GenericInternalRow(new Object[] {value}), into))
                .isInstanceOf(RowException.class)
                .hasMessageStartingWith(message);
        assertThat(into.position()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "bmp"})
    void filesBecomeChannels(String format) throws RowException {
        assertThat(file(COLOURS, RGB, fourColours(format))).containsExactly(1, 10, 255, 0, 2, 11, 0, 0, 3, 12, 0, 255);
        assertThat(file(COLOURS, BGR, fourColours(format))).containsExactly(3, 12, 0, 255, 2, 11, 0, 0, 1, 10, 255, 0);
        // ITU-R 601
        assertThat(file(GRAY, BGR, fourColours(format))).containsExactly(2, 11, 76, 29);
    }

    @Test
    void theLayoutOfAFileIsItsOwn() throws RowException {
        InputFormat pixels =
                new InputFormat(BinaryContent.IMAGE, ImageLayout.NHWC, ChannelOrder.RGB, 1, List.of(0f), List.of(1f));
        assertThat(file(COLOURS, pixels, fourColours("png"))).containsExactly(file(COLOURS, RGB, fourColours("png")));
        assertThat(read(COLOURS, pixels, STRUCT, struct(2, 2, 3, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)))
                .containsExactly(3, 6, 9, 12, 2, 5, 8, 11, 1, 4, 7, 10);
    }

    @Test
    void jpegIsLossy() throws RowException {
        TensorSpec large = new TensorSpec("x", List.of(3, 16, 16));
        int[] orange = new int[256];
        Arrays.fill(orange, 0xC86414);
        byte[] file = encoded("jpg", image(BufferedImage.TYPE_INT_RGB, 16, 16, orange));
        int[] values = file(large, RGB, file);
        for (int i = 0; i < values.length; i++) {
            assertThat(values[i])
                    .isBetween(200 - 100 * (i / 256) - 3 + (i / 512) * 20, 203 - 100 * (i / 256) + (i / 512) * 20);
        }
    }

    @Test
    void filesOfAnotherSizeAreResized() throws RowException {
        byte[] file = encoded("png", image(BufferedImage.TYPE_INT_RGB, 1, 4, 0x000000, 0x080000, 0x100000, 0x280000));
        TensorSpec half = new TensorSpec("x", List.of(3, 1, 2));
        // (3 * 0 + 3 * 8 + 16) / 7 = 5.7 and (8 + 3 * 16 + 3 * 40) / 7 = 25.1
        assertThat(file(half, RGB, file)).containsExactly(6, 25, 0, 0, 0, 0);
        int[] resized = file(COLOURS, RGB, file);
        assertThat(resized).startsWith(6, 25, 6, 25);
    }

    @Test
    void grayFilesBecomeEqualChannels() throws RowException {
        BufferedImage gray = new BufferedImage(2, 2, BufferedImage.TYPE_BYTE_GRAY);
        gray.getRaster().setSamples(0, 0, 2, 2, 0, new int[] {1, 100, 200, 255});
        assertThat(file(GRAY, RGB, encoded("png", gray))).containsExactly(1, 100, 200, 255);
        assertThat(file(COLOURS, BGR, encoded("png", gray)))
                .containsExactly(1, 100, 200, 255, 1, 100, 200, 255, 1, 100, 200, 255);
    }

    @Test
    void sixteenBitsLoseTheirLowerEight() throws RowException {
        BufferedImage gray = new BufferedImage(2, 2, BufferedImage.TYPE_USHORT_GRAY);
        gray.getRaster().setSamples(0, 0, 2, 2, 0, new int[] {0x0102, 0x7FFF, 0xABCD, 0xFFFF});
        assertThat(file(GRAY, RGB, encoded("png", gray))).containsExactly(1, 0x7F, 0xAB, 0xFF);
        ComponentColorModel model = new ComponentColorModel(
                ColorSpace.getInstance(ColorSpace.CS_sRGB), false, false, Transparency.OPAQUE, DataBuffer.TYPE_USHORT);
        BufferedImage colours = new BufferedImage(model, model.createCompatibleWritableRaster(2, 2), false, null);
        for (int c = 0; c < 3; c++) {
            int upper = 50 * (c + 1);
            colours.getRaster().setSamples(0, 0, 2, 2, c, new int[] {upper << 8, upper * 257, 0, 0xFFFF});
        }
        assertThat(file(COLOURS, RGB, encoded("png", colours)))
                .containsExactly(50, 50, 0, 255, 100, 100, 0, 255, 149, 150, 0, 255);
    }

    @Test
    void transparencyIsIgnored() throws RowException {
        BufferedImage image = image(BufferedImage.TYPE_INT_ARGB, 2, 2, 0x00102030, 0x80405060, 0xFF708090, 0x01A0B0C0);
        assertThat(file(COLOURS, RGB, encoded("png", image)))
                .containsExactly(0x10, 0x40, 0x70, 0xA0, 0x20, 0x50, 0x80, 0xB0, 0x30, 0x60, 0x90, 0xC0);
    }

    @Test
    void filesThatAreDamagedAreRefused() {
        RowReader reader = reader(COLOURS, RGB, DataTypes.BinaryType);
        refuses(
                reader,
                new byte[0],
                "column 'c': the 0 bytes are no image in one of the formats JPEG, PNG, GIF and BMP");
        refuses(reader, new byte[] {1, 2, 3}, "column 'c': the 3 bytes are no image in one of the formats");
        for (String format : FORMATS) {
            byte[] whole = noise(format);
            for (int length : new int[] {whole.length / 4, whole.length / 2, whole.length * 3 / 4}) {
                refuses(reader, Arrays.copyOf(whole, length), "column 'c': ");
            }
        }
    }

    @Test
    void anyOtherBytesAreAnImageOrRefused() {
        Random random = new Random(11);
        RowReader reader = reader(COLOURS, RGB, DataTypes.BinaryType);
        for (String format : FORMATS) {
            byte[] whole = noise(format);
            int refused = 0;
            for (int round = 0; round < 500; round++) {
                byte[] changed = whole.clone();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    changed[random.nextInt(i < 2 ? 60 : whole.length)] = (byte) random.nextInt();
                }
                ByteBuffer into = ByteBuffer.allocate(12);
                try {
                    reader.read(new GenericInternalRow(new Object[] {changed}), into);
                    assertThat(into.hasRemaining()).isFalse();
                } catch (RowException e) {
                    assertThat(e).hasMessageStartingWith("column 'c': ");
                    assertThat(into.position()).isZero();
                    refused++;
                }
            }
            assertThat(refused).as(format).isBetween(1, 499);
        }
    }

    @Test
    void filesThatClaimToBeHugeAreRefusedBeforeTheyAreDecoded() {
        byte[] png = fourColours("png");
        // the width and the height are the first numbers of the header
        ByteBuffer.wrap(png).putInt(16, 8193).putInt(20, 8192);
        // the checksum of the header, now wrong, is not looked at before
        RowReader reader = reader(COLOURS, RGB, DataTypes.BinaryType);
        String rule =
                "column 'c': an image must have at most 67108864 pixels, and 32768 in each direction, the image has ";
        refuses(reader, png, rule + "8192x8193: make it smaller");
        ByteBuffer.wrap(png).putInt(16, Integer.MAX_VALUE).putInt(20, Integer.MAX_VALUE);
        refuses(reader, png, rule + "2147483647x2147483647: make it smaller");
        ByteBuffer.wrap(png).putInt(16, 1).putInt(20, 32769);
        refuses(reader, png, rule + "32769x1: make it smaller");
        refuses(
                reader(COLOURS, RGB, STRUCT),
                struct(32769, 1, 1, 0, new int[32769]),
                rule + "32769x1: make it smaller");
    }

    private static GenericInternalRow struct(int height, int width, int channels, int mode, int... data) {
        byte[] bytes = new byte[data.length];
        for (int i = 0; i < data.length; i++) {
            bytes[i] = (byte) data[i];
        }
        return new GenericInternalRow(
                new Object[] {UTF8String.fromString("file:/a.png"), height, width, channels, mode, bytes});
    }

    @Test
    void structsBecomeChannels() throws RowException {
        GenericInternalRow colours = struct(2, 2, 3, 16, 3, 2, 1, 12, 11, 10, 0, 0, 255, 255, 0, 0);
        assertThat(read(COLOURS, RGB, STRUCT, colours)).containsExactly(1, 10, 255, 0, 2, 11, 0, 0, 3, 12, 0, 255);
        assertThat(read(COLOURS, BGR, STRUCT, colours)).containsExactly(3, 12, 0, 255, 2, 11, 0, 0, 1, 10, 255, 0);
        assertThat(read(GRAY, RGB, STRUCT, colours)).containsExactly(2, 11, 76, 29);
        GenericInternalRow gray = struct(2, 2, 1, 0, 1, 2, 3, 200);
        assertThat(read(GRAY, RGB, STRUCT, gray)).containsExactly(1, 2, 3, 200);
        assertThat(read(COLOURS, RGB, STRUCT, gray)).containsExactly(1, 2, 3, 200, 1, 2, 3, 200, 1, 2, 3, 200);
        GenericInternalRow alpha = struct(1, 1, 4, 24, 3, 2, 1, 99);
        assertThat(read(new TensorSpec("x", List.of(3, 1, 1)), RGB, STRUCT, alpha))
                .containsExactly(1, 2, 3);
    }

    @Test
    void structsDoNotDependOnTheTypeOfBinaryColumns() throws RowException {
        assertThat(read(GRAY, InputFormat.DEFAULT, STRUCT, struct(2, 2, 1, 0, 1, 2, 3, 200)))
                .containsExactly(1, 2, 3, 200);
    }

    @Test
    void structsOfAnotherSizeAreResizedAsFilesAre() throws RowException {
        int[] rgb = new int[35];
        int[] bgr = new int[105];
        for (int i = 0; i < 35; i++) {
            rgb[i] = i * 7919 & 0xFFFFFF;
            bgr[3 * i] = rgb[i] & 0xFF;
            bgr[3 * i + 1] = rgb[i] >> 8 & 0xFF;
            bgr[3 * i + 2] = rgb[i] >> 16;
        }
        byte[] png = encoded("png", image(BufferedImage.TYPE_INT_RGB, 5, 7, rgb));
        for (TensorSpec model : List.of(COLOURS, GRAY, new TensorSpec("x", List.of(3, 8, 3)))) {
            assertThat(read(model, RGB, STRUCT, struct(5, 7, 3, 16, bgr))).containsExactly(file(model, RGB, png));
        }
    }

    @Test
    void structsThatAreNoImagesAreRefused() {
        RowReader reader = reader(COLOURS, RGB, STRUCT);
        String rule = "column 'c' must have images of height x width x nChannels bytes, with 1, 3 or 4 channels and the"
                + " mode 0, 16 or 24; got ";
        // how Spark marks a file that it could not read
        refuses(reader, struct(-1, -1, -1, -1), rule + "-1x-1x-1, mode -1 and 0 bytes");
        refuses(reader, struct(1, 1, 3, 16, 1, 2), rule + "1x1x3, mode 16 and 2 bytes");
        refuses(reader, struct(1, 1, 3, 21, 1, 2, 3), rule + "1x1x3, mode 21 and 3 bytes");
        refuses(reader, struct(1, 1, 2, 8, 1, 2), rule + "1x1x2, mode 8 and 2 bytes");
        refuses(reader, struct(0, 1, 3, 16), rule + "0x1x3, mode 16 and 0 bytes");
        refuses(reader, struct(-1, -1, 1, 0, 1), rule + "-1x-1x1, mode 0 and 1 bytes");
        GenericInternalRow empty = struct(1, 1, 1, 0, 1);
        empty.setNullAt(5);
        refuses(reader, empty, "column 'c' must have an image, the field data is null");
    }

    @Test
    void structsAreToldByTheirFields() throws RowException {
        StructType other = new StructType()
                .add("data", DataTypes.BinaryType)
                .add("mode", DataTypes.IntegerType)
                .add("nChannels", DataTypes.IntegerType)
                .add("width", DataTypes.IntegerType)
                .add("height", DataTypes.IntegerType);
        assertThat(read(GRAY, RGB, other, new GenericInternalRow(new Object[] {new byte[] {1, 2, 3, 4}, 0, 1, 2, 2})))
                .containsExactly(1, 2, 3, 4);
        StructType text = new StructType()
                .add("height", DataTypes.IntegerType)
                .add("width", DataTypes.IntegerType)
                .add("nChannels", DataTypes.IntegerType)
                .add("mode", DataTypes.StringType)
                .add("data", DataTypes.BinaryType);
        assertThatThrownBy(() -> reader(GRAY, RGB, text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "column 'c' is struct<height:int,width:int,nChannels:int,mode:string,data:binary>,"
                                + " which cannot be the model's input x (1, 2, 2): use one column of");
    }

    @Test
    void modelsThatTakeNoImagesAreRefused() {
        for (List<Integer> shape : List.of(List.of(12), List.of(2, 2, 3), List.of(2, 2), List.of(1, 3, 2, 2))) {
            TensorSpec model = new TensorSpec("x", shape);
            for (DataType type : List.of(DataTypes.BinaryType, STRUCT)) {
                assertThatThrownBy(() -> reader(model, RGB, type))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(
                                "column 'c' has images, which are the input of a model that takes (1, height, width) or"
                                        + " (3, height, width); this one takes " + model);
            }
        }
    }

    @Test
    void bytesAreResizedAsFloatsAre() {
        byte[] image = {0, 8, 16, 40, 80, (byte) 160};
        assertThat(unsigned(Images.resize(image, 1, 1, 6, 1, 3))).containsExactly(6, 32, 109);
        assertThat(Images.resize(image, 1, 2, 3, 2, 3)).isSameAs(image);
        assertThatThrownBy(() -> Images.resize(image, 1, 2, 2, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sizes must be at least 1 and an image have 1x2x2 values, got 6 values for 1x1");
    }
}
