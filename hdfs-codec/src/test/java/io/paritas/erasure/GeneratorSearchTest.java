/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Short searches: what they find is right, if not yet the best. */
class GeneratorSearchTest {
    private static BooleanSupplier changes(int count) {
        AtomicInteger left = new AtomicInteger(count);
        return () -> left.getAndDecrement() > 0;
    }

    private static Matrix found(ColumnSet columns, int k, long seed) {
        return Matrix.ofRows(GaloisField.bytes(), new GeneratorSearch(columns, k, seed).best(changes(200)));
    }

    @ParameterizedTest
    @CsvSource({"7, 2, 2", "8, 3, 3", "6, 3, 2"})
    void findsSuperregularMatrices(int k, int secondDegree, int thirdDegree) {
        Matrix matrix = found(new ArcColumns(k, secondDegree, thirdDegree), k, Stripes.SEED);
        assertThat(matrix.columns()).isEqualTo(k);
        assertThat(GeneratorsTest.singularMinors(matrix)).isZero();
        assertThat(ProgramCost.of(matrix.toRows()).timesX()).isLessThanOrEqualTo(secondDegree + thirdDegree);
    }

    @Test
    void findsMaximallyRecoverableCodes() {
        LrcParameters code = new LrcParameters(8, 2, 2);
        Matrix matrix = found(new LocalGroupColumns(8, 2, 2, 2), 8, Stripes.SEED);
        Stripes.allErasures(code.code()).forEach(missing -> assertThat(new Survivors(matrix, missing).rank() == 8)
                .as("%s without %s", matrix, missing)
                .isEqualTo(LocalReconstructionTest.recoverable(code, missing)));
    }

    @Test
    void aSeedGivesOneGenerator() {
        assertThat(found(new ArcColumns(6, 2, 2), 6, 1)).isEqualTo(found(new ArcColumns(6, 2, 2), 6, 1));
    }
}
