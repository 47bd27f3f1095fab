/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProductProgramTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);

    static int[][] randomRows(Random random, int outputs, int inputs) {
        // Few different coefficients now and then, so that inputs have equal ones.
        int bound = random.nextBoolean() ? 256 : 4;
        return IntStream.range(0, outputs)
                .mapToObj(i -> random.ints(inputs, 0, bound).toArray())
                .toArray(int[][]::new);
    }

    private static int[] product(int[][] rows, int[] bytes) {
        return Arrays.stream(rows)
                .mapToInt(row -> IntStream.range(0, row.length)
                        .map(j -> Bytes.product(row[j], bytes[j]))
                        .reduce(0, (a, b) -> a ^ b))
                .toArray();
    }

    private static void check(ProductProgram program, int[][] rows, Random random) {
        for (int i = 0; i < 20; i++) {
            int[] bytes = random.ints(rows[0].length, 0, 256).toArray();
            assertThat(program.interpret(bytes))
                    .as("%s, seed %d", Arrays.deepToString(rows), SEED)
                    .containsExactly(product(rows, bytes));
        }
    }

    @Test
    void everyWayComputesTheMatrix() {
        Random random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            int[][] rows = randomRows(random, 1 + random.nextInt(5), 1 + random.nextInt(12));
            check(ProductProgram.plain(rows), rows, random);
            check(ProductProgram.shared(rows), rows, random);
            check(LookUps.lower(ProductProgram.plain(rows), false), rows, random);
            check(LookUps.lower(ProductProgram.shared(rows), false), rows, random);
            check(LookUps.lower(ProductProgram.shared(rows), true), rows, random);
        }
    }

    /** A product is added to its sum by one instruction, and not by two. */
    @Test
    void halvesOfProductsAreAddedToTheirSumAtOnce() {
        ProductProgram program = ProductProgram.plain(new int[][] {{7, 9, 1, 20, 30}});
        assertThat(LookUps.lower(program, false).xors(2)).isEqualTo(4 + 4);
        assertThat(LookUps.lower(program, false).xors(3)).isEqualTo(5);
        assertThat(program.withMistake(0, program.statements().get(0)).xors(3)).isEqualTo(2);
    }

    /** 7·(a + b) beside 9·a and 5·b: two sums of nibbles in place of a sum and its nibbles. */
    @Test
    void nibblesOfASumAreSumsOfNibblesThatAreThere() {
        ProductProgram program = ProductProgram.shared(new int[][] {{7, 7, 9}, {9, 5, 1}});
        ProductProgram whole = LookUps.lower(program, false);
        ProductProgram split = LookUps.lower(program, true);
        assertThat(split.lookUps()).isEqualTo(whole.lookUps() - 2);
        assertThat(split.xors(2)).isEqualTo(whole.xors(2) + 1);
    }

    @Test
    void oneProgramFeedsAnother() {
        Random random = new Random(SEED);
        for (int i = 0; i < 50; i++) {
            int[][] first = randomRows(random, 3, 5);
            int[][] second = randomRows(random, 2, 3);
            int[][] product = Arrays.stream(second)
                    .map(row -> IntStream.range(0, 5)
                            .map(j -> IntStream.range(0, 3)
                                    .map(m -> Bytes.product(row[m], first[m][j]))
                                    .reduce(0, (a, b) -> a ^ b))
                            .toArray())
                    .toArray(int[][]::new);
            check(ProductProgram.shared(first).then(ProductProgram.plain(second)), product, random);
        }
    }

    @Test
    void productsAreThoseOfTheField() {
        for (int a = 0; a < 256; a++) {
            assertThat(Bytes.product(a, 1)).isEqualTo(a);
            assertThat(Bytes.product(1, a)).isEqualTo(a);
            assertThat(Bytes.product(a, 2)).isEqualTo(a < 128 ? 2 * a : 2 * a ^ 0x11d);
        }
    }

    /** HDFS's generators: r·k products one by one. */
    @ParameterizedTest
    @CsvSource({"6, 3, 15", "8, 4, 17", "10, 4, 24", "10, 2, 15"})
    void sharingSavesProducts(int k, int r, int products) {
        int[][] rows = Generators.hdfsCauchy(new CodeParameters(k, r)).toRows();
        long plain = Arrays.stream(rows)
                .flatMapToInt(Arrays::stream)
                .filter(c -> c > 1)
                .count();
        assertThat(ProductProgram.plain(rows).products()).isEqualTo((int) plain);
        assertThat(ProductProgram.shared(rows).products()).isEqualTo(products);
    }

    @Test
    void xorsAddUpTwoOrThree() {
        ProductProgram program = ProductProgram.plain(new int[][] {{1, 1, 1, 1, 1}});
        assertThat(program.products()).isZero();
        assertThat(program.xors(3)).isEqualTo(2);
        assertThat(program.xors(2)).isEqualTo(4);
        assertThat(program).hasToString("t3 = [0, 1, 2]%nt6 = [3, 4, 5]%n".formatted());
    }
}
