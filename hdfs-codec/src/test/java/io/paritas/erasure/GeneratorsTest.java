/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GeneratorsTest {
    @Test
    void theCauchyRowsOfRs63AreHdfs() {
        assertThat(Generators.hdfsCauchy(new CodeParameters(6, 3)))
                .isEqualTo(Matrix.ofRows(
                        GaloisField.bytes(),
                        new int[] {122, 186, 71, 167, 142, 244},
                        new int[] {186, 122, 167, 71, 244, 142},
                        new int[] {173, 157, 221, 152, 61, 170}));
    }

    @Test
    void theVandermondeRowsArePowersOfPowersOfTwo() {
        assertThat(Generators.isalVandermonde(new CodeParameters(4, 3)))
                .isEqualTo(Matrix.ofRows(
                        GaloisField.bytes(), new int[] {1, 1, 1, 1}, new int[] {1, 2, 4, 8}, new int[] {1, 4, 16, 64}));
    }

    @ParameterizedTest
    @CsvSource({"254, 2", "33, 3", "21, 4"})
    void everySafeVandermondeMatrixIsSuperregular(int k, int r) {
        assertThat(singularMinors(Generators.isalVandermonde(new CodeParameters(k, r))))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"6, 3", "10, 4", "12, 4", "5, 5", "3, 6"})
    void everyCauchyMatrixIsSuperregular(int k, int r) {
        assertThat(singularMinors(Generators.hdfsCauchy(new CodeParameters(k, r))))
                .isZero();
    }

    /** Whatever k is: the minors of three rows are products and Vandermonde determinants. */
    @Test
    void threeVandermondeRowsHaveNoLimit() {
        Matrix matrix = Generators.isalVandermonde(new CodeParameters(253, 3));
        int[] columns = new Random(1).ints(3_000, 0, 253).toArray();
        for (int i = 0; i < columns.length; i += 3) {
            int[] some = Arrays.stream(columns, i, i + 3).distinct().toArray();
            assertThat(isSingular(matrix, IntStream.range(0, some.length).toArray(), some))
                    .isZero();
            assertThat(isSingular(matrix, IntStream.range(3 - some.length, 3).toArray(), some))
                    .isZero();
        }
    }

    /** The limit is not caution: just beyond the limit of r = 4 there is a loss that cannot be repaired. */
    @Test
    void beyondTheLimitVandermondeMatricesHaveSingularMinors() {
        GaloisField field = GaloisField.bytes();
        assertThat(singularMinors(Matrix.of(field, 4, 22, (i, j) -> field.power(i * j))))
                .isPositive();
    }

    @ParameterizedTest
    @CsvSource({"22, 4", "2, 5", "10, 16"})
    void unsafeVandermondeShapesAreRefused(int k, int r) {
        assertThatThrownBy(() -> Generators.isalVandermonde(new CodeParameters(k, r)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "is for r <= 3, and for r = 4 with k <= 21, where it repairs every loss of r units")
                .hasMessageContaining("got (" + k + "," + r + "); use the Cauchy generator (rs) instead");
    }

    static int singularMinors(Matrix matrix) {
        int[] singular = {0};
        for (int size = 1; size <= Math.min(matrix.rows(), matrix.columns()); size++) {
            int minor = size;
            Stripes.combinations(
                    matrix.rows(),
                    minor,
                    rows -> Stripes.combinations(
                            matrix.columns(), minor, columns -> singular[0] += isSingular(matrix, rows, columns)));
        }
        return singular[0];
    }

    private static int isSingular(Matrix matrix, int[] rows, int[] columns) {
        RowBasis basis = new RowBasis(matrix.field(), columns.length);
        return Arrays.stream(rows)
                        .allMatch(i -> basis.add(Arrays.stream(columns)
                                .map(j -> matrix.get(i, j))
                                .toArray()))
                ? 0
                : 1;
    }

    static Stream<CodeParameters> searchedShapes() {
        return Stream.of(
                new CodeParameters(3, 2),
                new CodeParameters(4, 2),
                new CodeParameters(6, 3),
                new CodeParameters(8, 2),
                new CodeParameters(8, 3),
                new CodeParameters(8, 4),
                new CodeParameters(10, 2),
                new CodeParameters(10, 4),
                new CodeParameters(12, 4),
                new CodeParameters(16, 4));
    }

    @ParameterizedTest
    @MethodSource("searchedShapes")
    void everySearchedMatrixIsSuperregular(CodeParameters code) {
        Matrix generator = Generators.paritas(code);
        assertThat(generator.rows()).isEqualTo(code.r());
        assertThat(generator.columns()).isEqualTo(code.k());
        assertThat(singularMinors(generator)).isZero();
    }

    @ParameterizedTest
    @MethodSource("searchedShapes")
    void theFirstParityUnitOfASearchedCodeIsAnXor(CodeParameters code) {
        assertThat(Generators.paritas(code).toRows()[0]).containsOnly(1);
    }

    /** Among the multiples of the all-ones row, k distinct entries ≠ 0 have at least this degree. */
    @ParameterizedTest
    @MethodSource("searchedShapes")
    void noSearchedCodeWithAnXorCouldHaveALowerDegree(CodeParameters code) {
        int degree = 31 - Integer.numberOfLeadingZeros(code.k());
        assertThat(ProgramCost.of(Generators.paritas(code).toRows()).timesX()).isEqualTo((code.r() - 1) * degree);
    }

    @Test
    void aSearchedCodeWithOneParityUnitIsXor() {
        assertThat(Generators.paritas(new CodeParameters(7, 1))).isEqualTo(Generators.xor(7));
    }

    /** Parity is stored: a checksum that differs means that somebody's data is lost. */
    @ParameterizedTest
    @CsvSource({
        "3, 2, 3842779550",
        "4, 2, 475271105",
        "6, 3, 259672411",
        "8, 2, 770687161",
        "8, 3, 636366421",
        "8, 4, 2999762267",
        "10, 2, 1490420016",
        "10, 4, 4050804366",
        "12, 4, 1067991063",
        "16, 4, 2075756645",
    })
    void theSearchedGeneratorsNeverChange(int k, int r, long checksum) {
        assertThat(checksum(Generators.paritas(new CodeParameters(k, r)))).isEqualTo(checksum);
    }

    @ParameterizedTest
    @CsvSource({
        "6, 2, 2, 2686286195",
        "12, 2, 2, 3410846214",
        "10, 2, 2, 1801876779",
        "16, 2, 4, 1652670627",
    })
    void theLocalReconstructionCodesNeverChange(int k, int r, int l, long checksum) {
        assertThat(checksum(Generators.lrc(new LrcParameters(k, r, l)))).isEqualTo(checksum);
    }

    private static long checksum(Matrix matrix) {
        CRC32C crc = new CRC32C();
        crc.update(matrix.toString().getBytes(StandardCharsets.US_ASCII));
        return crc.getValue();
    }

    @Test
    void otherShapesOfASearchedCodeAreRefused() {
        assertThatThrownBy(() -> Generators.paritas(new CodeParameters(5, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Paritas has a generator of its own for r = 1 and for (3,2), (4,2), (6,3), (8,2), (8,3),"
                        + " (8,4), (10,2), (10,4), (12,4), (16,4), got (5,2); use the Cauchy generator (rs)"
                        + " instead, which has every shape");
        assertThatThrownBy(() -> Generators.lrc(new LrcParameters(8, 2, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Paritas has a local reconstruction code for (6,2,2), (12,2,2), (10,2,2), (16,2,4), got (8,2,2); use one of these,"
                                + " or an MDS code (rs), which has no local groups");
    }

    @Test
    void shapesAreChecked() {
        assertThatCode(() -> new CodeParameters(255, 1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> new CodeParameters(250, 7))
                .hasMessageContaining("k + r <= 256")
                .hasMessageContaining("k = 250, r = 7");
        assertThatThrownBy(() -> new CodeParameters(0, 2)).hasMessageContaining("got k = 0, r = 2");
        assertThatThrownBy(() -> new CodeParameters(2, 0)).hasMessageContaining("got k = 2, r = 0");
        assertThat(new CodeParameters(6, 3)).hasToString("(6,3)");
    }

    @Test
    void localReconstructionShapesAreChecked() {
        LrcParameters code = new LrcParameters(12, 2, 2);
        assertThat(code).hasToString("(12,2,2)");
        assertThat(code.code()).isEqualTo(new CodeParameters(12, 4));
        assertThat(code.groupSize()).isEqualTo(6);
        assertThatThrownBy(() -> new LrcParameters(12, 2, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a local reconstruction code needs k >= 1, r >= 1, l >= 1 and k a multiple of l,"
                        + " got k = 12, r = 2, l = 5");
        assertThatThrownBy(() -> new LrcParameters(12, 0, 2)).hasMessageEndingWith("got k = 12, r = 0, l = 2");
        assertThatThrownBy(() -> new LrcParameters(250, 5, 2)).hasMessageContaining("k + r <= 256");
    }
}
