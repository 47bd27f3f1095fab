/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The matrices found by {@code GeneratorSearch}, which is among the tests: version 1. Never change a number here: stored
 * parity would no longer fit its data.
 */
final class SearchedGenerators {
    /** The rows below the first one, which is all ones. */
    private static final List<Mds> MDS = List.of(
            new Mds(new CodeParameters(3, 2), "1 2 3"),
            new Mds(new CodeParameters(4, 2), "1 2 4 6"),
            new Mds(new CodeParameters(6, 3), "1 2 3 4 5 6", "4 3 7 2 6 1"),
            new Mds(new CodeParameters(8, 2), "1 2 3 4 5 8 9 12"),
            new Mds(new CodeParameters(8, 3), "1 2 3 4 5 8 9 12", "4 1 5 8 12 2 6 10"),
            new Mds(new CodeParameters(8, 4), "6 8 10 2 4 5 9 1", "9 10 2 1 8 12 6 4", "7 2 4 5 3 11 8 1"),
            new Mds(new CodeParameters(10, 2), "1 2 3 4 5 6 8 9 10 12"),
            new Mds(
                    new CodeParameters(10, 4),
                    "5 6 2 9 4 13 8 10 12 1",
                    "12 9 1 6 8 14 2 3 10 5",
                    "1 9 8 14 4 5 12 11 3 10"),
            new Mds(
                    new CodeParameters(12, 4),
                    "1 10 8 14 13 7 9 11 2 4 6 12",
                    "12 4 2 11 3 13 10 14 6 9 1 7",
                    "10 13 5 6 4 11 7 15 9 2 8 12"),
            new Mds(
                    new CodeParameters(16, 4),
                    "8 5 13 1 18 9 17 21 22 16 25 24 6 4 10 3",
                    "7 12 14 4 1 18 20 22 9 8 2 5 17 3 21 19",
                    "24 22 30 16 10 8 18 19 14 2 11 26 12 9 28 13"));

    /** The rows of the global parity units. */
    private static final List<Lrc> LRC = List.of(
            new Lrc(new LrcParameters(6, 2, 2), "1 2 3 1 2 3", "2 3 1 3 1 2"),
            new Lrc(new LrcParameters(12, 2, 2), "1 6 2 5 4 3 5 4 3 2 6 1", "5 3 2 4 1 7 3 7 2 6 1 4"),
            new Lrc(new LrcParameters(10, 2, 2), "2 1 4 6 3 7 4 6 1 5", "1 4 3 2 5 3 4 1 2 6"),
            new Lrc(
                    new LrcParameters(16, 2, 4),
                    "2 11 3 9 8 4 2 6 9 1 5 8 8 3 9 1",
                    "8 10 1 2 3 4 1 5 1 8 4 2 1 8 3 2"));

    private record Mds(CodeParameters code, String... rows) {
        Matrix generator() {
            int[][] entries = entries(rows);
            return Matrix.of(GaloisField.bytes(), code.r(), code.k(), (i, j) -> i == 0 ? 1 : entries[i - 1][j]);
        }
    }

    private record Lrc(LrcParameters code, String... rows) {
        Matrix generator() {
            int[][] entries = entries(rows);
            return Matrix.of(
                    GaloisField.bytes(),
                    code.r() + code.l(),
                    code.k(),
                    (i, j) -> i < code.r() ? entries[i][j] : inGroup(j, i - code.r()));
        }

        private int inGroup(int unit, int group) {
            return unit / code.groupSize() == group ? 1 : 0;
        }
    }

    private SearchedGenerators() {}

    private static int[][] entries(String... rows) {
        return Arrays.stream(rows)
                .map(row -> Arrays.stream(row.split(" ", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray())
                .toArray(int[][]::new);
    }

    static Optional<Matrix> mds(CodeParameters code) {
        return MDS.stream().filter(found -> found.code.equals(code)).findFirst().map(Mds::generator);
    }

    static Optional<Matrix> lrc(LrcParameters code) {
        return LRC.stream().filter(found -> found.code.equals(code)).findFirst().map(Lrc::generator);
    }

    /** For messages, such as "(3,2), (4,2)". */
    static String mdsShapes() {
        return MDS.stream().map(found -> found.code.toString()).collect(Collectors.joining(", "));
    }

    /** For messages, such as "(6,2,2), (12,2,2)". */
    static String lrcShapes() {
        return LRC.stream().map(found -> found.code.toString()).collect(Collectors.joining(", "));
    }
}
