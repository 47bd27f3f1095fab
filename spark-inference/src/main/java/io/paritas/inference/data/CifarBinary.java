/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.data;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the binary versions of CIFAR-10 and CIFAR-100: records of one image each, without a header.
 *
 * <pre>
 * CIFAR-10:  byte class, then 1024 bytes red, 1024 green, 1024 blue, row by row
 * CIFAR-100: byte superclass, byte class, then as above
 * </pre>
 *
 * Source: A. Krizhevsky, "Learning multiple layers of features from tiny images", 2009.
 */
final class CifarBinary {
    private static final List<Integer> SHAPE = List.of(3, 32, 32);
    private static final int PIXELS = 3 * 32 * 32;

    /** The classes of CIFAR-10, in the order of their labels, which is lexicographic. */
    static final List<String> CLASSES =
            List.of("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck");

    private CifarBinary() {}

    /**
     * Reads batches of CIFAR-10 ({@code data_batch_1.bin} to {@code data_batch_5.bin}, {@code test_batch.bin}), one after
     * another. The shape is (3, 32, 32).
     *
     * @throws DataException if a file cannot be read, has an incomplete record, or a label above 9
     */
    public static ImageSet cifar10(List<Path> files) {
        return read(files, 1, CLASSES);
    }

    /**
     * Reads CIFAR-100 ({@code train.bin}, {@code test.bin}) with its 100 classes, without superclasses. The names of the classes are
     * in {@code fine_label_names.txt} beside the file; without that file, the names are numbers.
     *
     * @throws DataException if a file cannot be read, has an incomplete record, or a label above 99
     */
    public static ImageSet cifar100(Path file) {
        return read(List.of(file), 2, fineNames(file.resolveSibling("fine_label_names.txt")));
    }

    private static List<String> fineNames(Path file) {
        if (!Files.exists(file)) {
            return ClassNames.numbers(100);
        }
        try {
            List<String> names = Files.readAllLines(file).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
            if (names.size() != 100) {
                throw new DataException("CIFAR-100 must have 100 class names, " + file + " has " + names.size());
            }
            return names;
        } catch (CharacterCodingException e) {
            throw new DataException("class names must be text in UTF-8, " + file + " is none: convert it", e);
        } catch (IOException e) {
            throw new DataException("cannot read " + file + ": " + e, e);
        }
    }

    private static ImageSet read(List<Path> files, int labelBytes, List<String> classes) {
        List<byte[]> images = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        for (Path file : files) {
            read(file, labelBytes, classes.size(), images, labels);
        }
        int[] all = labels.stream().mapToInt(Integer::intValue).toArray();
        return ImageSet.wrap(SHAPE, images.toArray(byte[][]::new), all, classes);
    }

    private static void read(Path file, int labelBytes, int classes, List<byte[]> images, List<Integer> labels) {
        int record = labelBytes + PIXELS;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            long size = Files.size(file);
            if (size == 0 || size % record != 0) {
                throw new DataException("a CIFAR-" + classes + " file must be at least one record of " + record
                        + " bytes, all complete, " + file + " has " + size + " bytes: copy it again");
            }
            for (long i = 0; i < size / record; i++) {
                byte[] bytes = in.readNBytes(record);
                int label = bytes[labelBytes - 1] & 0xFF;
                if (label >= classes) {
                    throw new DataException("labels of CIFAR-" + classes + " must be below " + classes + ", record " + i
                            + " of " + file + " has " + label);
                }
                images.add(Arrays.copyOfRange(bytes, labelBytes, record));
                labels.add(label);
            }
        } catch (IOException e) {
            throw new DataException("cannot read " + file + ": " + e, e);
        }
    }
}
