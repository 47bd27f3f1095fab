/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataSourceTest {
    private static final String FORMS = "known are glyphs, glyphs:count=8000,seed=1,side=28,channels=1,classes=10,"
            + " scenes, scenes:count=8000,seed=1,side=50, mnist:DIR, cifar10:DIR, cifar100:DIR, images:DIR and"
            + " images:DIR,size=50x50,resize=nearest,channels=1,seed=1";

    @TempDir
    private Path folder;

    @Test
    void drawsGlyphs() {
        LabelledImages images = DataSource.load("glyphs:count=50,seed=3,classes=26,channels=3,side=16");
        assertThat(images.train()).hasToString("40 images (3, 16, 16) of 26 classes");
        assertThat(images.test().size()).isEqualTo(10);
        assertThat(images.test().image(0))
                .isEqualTo(new Glyphs(50, 3, 16, 3, 26).draw().image(40));
        assertThat(images.normalization()).isEqualTo(Normalization.NONE);
        assertThat(images.description())
                .isEqualTo("drawn glyphs (not handwriting), seed 3: 40 + 10 images (3, 16, 16) of 26 classes");
        assertThat(DataSource.load("glyphs").train()).hasToString("8000 images (1, 28, 28) of 10 classes");
    }

    @Test
    void drawsScenes() {
        LabelledImages images = DataSource.load("scenes:count=20,seed=3,side=16");
        assertThat(images.test().image(0))
                .isEqualTo(new Scenes(20, 3, 16).draw().image(16));
        assertThat(images.description())
                .isEqualTo("drawn scenes of a street (no film), seed 3: 16 + 4 images (3, 16, 16) of 2 classes");
        assertThat(DataSource.load("scenes:count=10").train()).hasToString("8 images (3, 50, 50) of 2 classes");
    }

    @Test
    void readsIdxPlainOrCompressed() throws IOException {
        Files.write(folder.resolve("train-images-idx3-ubyte"), IdxTest.images(2, 1, 1, 7, 8));
        IdxTest.writeGzip(folder.resolve("train-labels-idx1-ubyte.gz"), IdxTest.labels(2, 0, 1));
        Files.write(folder.resolve("t10k-images-idx3-ubyte"), IdxTest.images(1, 1, 1, 9));
        assertThatThrownBy(() -> DataSource.load("mnist:" + folder))
                .isInstanceOf(DataException.class)
                .hasMessage("MNIST's files are t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz and others, "
                        + folder + " has neither of these two");
        Files.write(folder.resolve("t10k-labels-idx1-ubyte"), IdxTest.labels(1, 2));
        LabelledImages images = DataSource.load("mnist:" + folder);
        assertThat(images.train().classes()).containsExactly("0", "1", "2");
        assertThat(images.test().image(0)).containsExactly(9);
        assertThat(images.description()).isEqualTo("IDX files of " + folder + ": 2 + 1 images (1, 1, 1) of 3 classes");
    }

    @Test
    void readsCifarInItsBinaryVersion() throws IOException {
        for (int batch = 1; batch <= 5; batch++) {
            Files.write(folder.resolve("data_batch_" + batch + ".bin"), CifarBinaryTest.record(batch));
        }
        Files.write(folder.resolve("test_batch.bin"), CifarBinaryTest.record(3));
        LabelledImages images = DataSource.load("cifar10:" + folder);
        assertThat(IntStream.range(0, 5).map(images.train()::label)).containsExactly(1, 2, 3, 4, 5);
        assertThat(images.normalization()).isEqualTo(Normalization.CIFAR10);
        assertThat(images.description())
                .isEqualTo("CIFAR-10, the binary version, of " + folder + ": 5 + 1 images (3, 32, 32) of 10 classes");
    }

    /** They would be another data set of the same name. */
    @Test
    void refusesSomeOfCifarsBatches() throws IOException {
        for (int batch : new int[] {1, 2, 4, 5}) {
            Files.write(folder.resolve("data_batch_" + batch + ".bin"), CifarBinaryTest.record(batch));
        }
        assertThatThrownBy(() -> DataSource.load("cifar10:" + folder))
                .isInstanceOf(DataException.class)
                .hasMessage("CIFAR-10, the binary version, has data_batch_1.bin, data_batch_2.bin, data_batch_3.bin,"
                        + " data_batch_4.bin, data_batch_5.bin, " + folder
                        + " has data_batch_1.bin, data_batch_2.bin, data_batch_4.bin, data_batch_5.bin: copy or unpack it"
                        + " again; --limit trains on fewer images");
    }

    @Test
    void readsCifar100() throws IOException {
        Files.write(folder.resolve("train.bin"), CifarBinaryTest.record(0, 1));
        Files.write(folder.resolve("test.bin"), CifarBinaryTest.record(0, 99));
        LabelledImages images = DataSource.load("cifar100:" + folder);
        assertThat(images.test().label(0)).isEqualTo(99);
    }

    @Test
    void readsCifarFromFoldersAndSaysSo() throws IOException {
        for (String name : CifarBinary.CLASSES) {
            ImageFoldersTest.write(folder.resolve("train/" + name + "/0.jpg"), 32, 32, 0x123456);
            ImageFoldersTest.write(folder.resolve("test/" + name + "/0.png"), 32, 32, 0x123456);
        }
        LabelledImages images = DataSource.load("cifar10:" + folder);
        assertThat(images.test().label(9)).isEqualTo(9);
        assertThat(images.description())
                .isEqualTo("CIFAR-10 as JPEG (lossy, unlike the original) of " + folder
                        + ": 10 + 10 images (3, 32, 32) of 10 classes");
        ImageFoldersTest.write(folder.resolve("train/zebra/0.jpg"), 32, 32, 0);
        ImageFoldersTest.write(folder.resolve("test/zebra/0.jpg"), 32, 32, 0);
        assertThatThrownBy(() -> DataSource.load("cifar10:" + folder))
                .isInstanceOf(DataException.class)
                .hasMessageStartingWith("CIFAR-10 has images of 32x32 in the classes [airplane, ")
                .hasMessageEndingWith("zebra]; others are read by images:DIR");
    }

    @Test
    void refusesACifarFolderWithNeither() {
        assertThatThrownBy(() -> DataSource.load("cifar10:" + folder))
                .hasMessage(
                        "CIFAR-10 is data_batch_1.bin and others, or the folders train and test with a folder for each"
                                + " class; " + folder + " has neither: is it an archive still to be unpacked?");
    }

    @Test
    void readsTrainAndTestFolders() throws IOException {
        ImageFoldersTest.write(folder.resolve("train/a/0.png"), 4, 6, 0x808080);
        assertThatThrownBy(() -> DataSource.load("images:" + folder))
                .isInstanceOf(DataException.class)
                .hasMessage("a folder train stands beside a folder test, " + folder + " has only train");
        ImageFoldersTest.write(folder.resolve("test/a/0.png"), 6, 4, 0x808080);
        assertThatThrownBy(() -> DataSource.load("images:" + folder))
                .hasMessage("training and test images must have one shape, got [3, 4, 6] and [3, 6, 4]: images of "
                        + folder + ": 1 + 1 images (3, 4, 6) of 1 classes");
        LabelledImages images = DataSource.load("images:" + folder + ",size=2x3,resize=nearest,channels=1");
        assertThat(images.train().shape()).containsExactly(1, 2, 3);
        assertThat(images.description())
                .as("other pixels than by bilinear resampling")
                .isEqualTo(
                        "images of " + folder + ", resized to the nearest pixels: 1 + 1 images (1, 2, 3) of 1 classes");
        assertThat(DataSource.load("images:" + folder + ",size=2x3").description())
                .isEqualTo("images of " + folder + ": 1 + 1 images (3, 2, 3) of 1 classes");
        assertThatThrownBy(() -> DataSource.load("images:" + folder + ",size=2x3,seed=4"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seed is that of a random fifth for the test, " + folder
                        + " has its own images for that, in test: leave seed out");
        ImageFoldersTest.write(folder.resolve("test/b/0.png"), 4, 6, 0x808080);
        assertThatThrownBy(() -> DataSource.load("images:" + folder + ",size=2x3"))
                .hasMessageStartingWith("training and test images must have the same classes, got [a] and [a, b]: ");
    }

    @Test
    void splitsASingleTree() throws IOException {
        Path tree = folder.resolve("a,b");
        for (int i = 0; i < 10; i++) {
            ImageFoldersTest.write(tree.resolve("c" + i % 2 + "/" + i + ".png"), 1, 1, i);
        }
        LabelledImages images = DataSource.load("images:" + tree + ",seed=4");
        assertThat(images.train().size()).isEqualTo(8);
        assertThat(images.test().size()).isEqualTo(2);
        assertThat(images.test().image(0))
                .isEqualTo(DataSource.load("images:" + tree + ",seed=4").test().image(0));
        assertThat(images.description())
                .isEqualTo("images of " + tree + ", a random fifth for the test, seed 4: 8 + 2 images (3, 1, 1) of 2"
                        + " classes");
    }

    @Test
    void refusesUnknownForms() {
        refuses("imagenet:/x", "no source has this name");
        refuses("", "no source has this name");
        refuses("mnist", "its folder is missing, as in mnist:DIR");
        refuses(
                "glyphs:size=3",
                "'size=3' is no option here: known are channels=…, classes=…, count=…, seed=…, side=…");
        refuses("glyphs:count", "'count' is no option here: known are channels=…, classes=…, count=…, seed=…, side=…");
        refuses("glyphs:count=1,count=2", "an option is given once, 'count=2' is not the first of its kind");
        refuses("glyphs:count=many", "count is a whole number, got 'many'");
        refuses("glyphs:count=3000000000", "count is below 2^31, got 3000000000");
        refuses("scenes:channels=1", "'channels=1' is no option here: known are count=…, seed=…, side=…");
        refuses("scenes:side=2000", "the side of scenes must be 16 to 1024 pixels, got 2000");
        refuses("glyphs:classes=99", "the classes of glyphs must be 2 to 36, got 99");
        String images = "images:" + folder;
        refuses(images + ",size=5", "size is height x width, as 50x50, got '5'");
        refuses(images + ",resize=nearest", "resize needs a size, as size=50x50");
        refuses(images + ",size=5x5,resize=cubic", "resize is bilinear or nearest, got 'cubic'");
        refuses(images + ",channels=2", "channels are 1 or 3, got 2");
        assertThatThrownBy(() -> DataSource.load("mnist:/absent/x"))
                .isInstanceOf(DataException.class)
                .hasMessage("/absent/x is no folder");
    }

    private static void refuses(String text, String reason) {
        assertThatThrownBy(() -> DataSource.load(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot load '" + text + "': " + reason + "; " + FORMS);
    }
}
