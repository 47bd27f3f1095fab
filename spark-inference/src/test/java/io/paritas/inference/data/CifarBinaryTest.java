/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CifarBinaryTest {
    @TempDir
    private Path folder;

    /** One record; the labels, then pixels that count up from the last label. */
    static byte[] record(int... labels) {
        byte[] record = new byte[labels.length + 3072];
        for (int i = 0; i < record.length; i++) {
            record[i] = (byte) (i < labels.length ? labels[i] : labels[labels.length - 1] + i - labels.length);
        }
        return record;
    }

    static byte[] records(byte[]... records) {
        byte[] all = new byte[records.length * records[0].length];
        for (int i = 0; i < records.length; i++) {
            System.arraycopy(records[i], 0, all, i * records[i].length, records[i].length);
        }
        return all;
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    @Test
    void readsBatchesOneAfterTheOther() throws IOException {
        Path one = write("1", records(record(3), record(9)));
        Path two = write("2", record(0));
        ImageSet set = CifarBinary.cifar10(List.of(one, two));
        assertThat(set).hasToString("3 images (3, 32, 32) of 10 classes");
        assertThat(IntStream.range(0, 3).map(set::label)).containsExactly(3, 9, 0);
        assertThat(set.image(1)).startsWith(9, 10, 11).isEqualTo(Arrays.copyOfRange(record(9), 1, 3073));
        assertThat(set.classes().get(9)).isEqualTo("truck");
    }

    @Test
    void readsTheFineLabelOfCifar100() throws IOException {
        Path file = write("test.bin", records(record(4, 99), record(1, 2)));
        ImageSet set = CifarBinary.cifar100(file);
        assertThat(set).hasToString("2 images (3, 32, 32) of 100 classes");
        assertThat(set.label(0)).isEqualTo(99);
        assertThat(set.image(0)).startsWith(99, 100);
        assertThat(set.classes()).startsWith("00", "01").endsWith("99");
    }

    /** Some have digits of their own. */
    @Test
    void classesHaveTheSameNumbersInEveryLocale() {
        Locale locale = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG"));
            assertThat(ClassNames.numbers(100)).startsWith("00", "01").endsWith("99");
        } finally {
            Locale.setDefault(locale);
        }
    }

    @Test
    void takesTheNamesBesideCifar100() throws IOException {
        Path file = write("test.bin", record(4, 99));
        String names =
                IntStream.range(100, 200).mapToObj(i -> "class" + i).collect(Collectors.joining("\n", "", "\n\n"));
        Path list = Files.writeString(folder.resolve("fine_label_names.txt"), names);
        assertThat(CifarBinary.cifar100(file).classes()).startsWith("class100").endsWith("class199");
        Files.write(list, new byte[] {'b', (byte) 0xE4, 'r', '\n'});
        assertThatThrownBy(() -> CifarBinary.cifar100(file))
                .isInstanceOf(DataException.class)
                .hasMessage("class names must be text in UTF-8, " + list + " is none: convert it");
        Files.writeString(list, "apple\n");
        assertThatThrownBy(() -> CifarBinary.cifar100(file))
                .isInstanceOf(DataException.class)
                .hasMessage("CIFAR-100 must have 100 class names, " + list + " has 1");
    }

    @Test
    void refusesWhatIsNoBatch() throws IOException {
        Path cut = write("cut", Arrays.copyOf(record(1), 3000));
        assertThatThrownBy(() -> CifarBinary.cifar10(List.of(cut)))
                .isInstanceOf(DataException.class)
                .hasMessage("a CIFAR-10 file must be at least one record of 3073 bytes, all complete, " + cut
                        + " has 3000 bytes: copy it again");
        Path empty = write("empty", new byte[0]);
        assertThatThrownBy(() -> CifarBinary.cifar100(empty)).hasMessageContaining(empty + " has 0 bytes");
        Path label = write("label", records(record(1), record(10)));
        assertThatThrownBy(() -> CifarBinary.cifar10(List.of(label)))
                .hasMessage("labels of CIFAR-10 must be below 10, record 1 of " + label + " has 10");
        Path absent = folder.resolve("absent");
        assertThatThrownBy(() -> CifarBinary.cifar100(absent)).hasMessageStartingWith("cannot read " + absent);
    }
}
