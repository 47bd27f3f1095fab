/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen.exercise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.inference.protect.gemm.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineScreenTest {

    private static List<ProcessorResult> screen(Exercise... exercises) throws InterruptedException {
        return new MachineScreen(List.of(exercises)).run(Processors.allowed(), Duration.ZERO, (wrong, processor) -> {});
    }

    /** The results of one processor that does an exercise with all inputs. */
    private static List<WrongResult> wrong(Exercise exercise) {
        List<WrongResult> wrong = new ArrayList<>();
        for (int pattern = 0; pattern < Exercise.PATTERNS; pattern++) {
            exercise.run(pattern, wrong::add);
        }
        return wrong;
    }

    @Test
    void thisMachineIsRight() throws InterruptedException {
        AtomicLong wrong = new AtomicLong();

        List<ProcessorResult> results = new MachineScreen()
                .run(Processors.allowed(), Duration.ofMillis(500), (result, processor) -> wrong.incrementAndGet());

        assertThat(results).extracting(ProcessorResult::processor).isEqualTo(Processors.allowed());
        assertThat(results).allSatisfy(result -> {
            assertThat(result.first()).isEmpty();
            assertThat(result.runs().keySet())
                    .containsExactly("erasure coding", "matrix product", "checksums and copies");
            assertThat(result.runs().values()).allMatch(runs -> runs >= 1);
        });
        assertThat(wrong).hasValue(0);
    }

    @Test
    void allInputsAreRightHere() {
        assertThat(wrong(new CodingExercise())).isEmpty();
        assertThat(wrong(new ProductExercise())).isEmpty();
        assertThat(wrong(new ChecksumExercise())).isEmpty();
    }

    @Test
    void aFlippedBitOfAProductIsFoundWithItsPlace() {
        Probe flips = new Probe() {
            @Override
            public void computed(float[] c, int at, int stride, int row, int rows, int column, int columns) {
                if (row == 0 && column == 0) {
                    c[at + 1] = Float.intBitsToFloat(Float.floatToRawIntBits(c[at + 1]) ^ 1 << 22);
                }
            }
        };

        assertThat(wrong(new ProductExercise(flips))).hasSize(Exercise.PATTERNS).allSatisfy(result -> {
            assertThat(result.flipped()).isEqualTo(1 << 22);
            assertThat(result.index()).isEqualTo(1);
            assertThat(result.exercise()).isEqualTo("matrix product");
        });
    }

    /** The coefficients of the code are others. */
    @Test
    void wrongProductsOfBytesAreFound() {
        ErasureCode other = ErasureCode.isalVandermonde(new CodeParameters(6, 3));

        List<WrongResult> wrong = wrong(new CodingExercise(other));

        assertThat(wrong).isNotEmpty().allMatch(result -> result.width() == 8 && result.flipped() != 0);
        assertThat(wrong).extracting(WrongResult::pattern).contains(4, 5, 6, 7);
    }

    @Test
    void aWrongChecksumIsFound() {
        ChecksumExercise exercise = new ChecksumExercise(() -> new CRC32() {
            @Override
            public long getValue() {
                return super.getValue() ^ 0x80;
            }
        });

        assertThat(wrong(exercise)).hasSize(Exercise.PATTERNS).allMatch(result -> result.flipped() == 0x80);
    }

    @Test
    void anErrorOfAnExerciseIsThrownAsItIs() {
        OutOfMemoryError error = new OutOfMemoryError("thrown on purpose by this test");
        Exercise failing = new Exercise() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public void run(int pattern, java.util.function.Consumer<WrongResult> wrong) {
                throw error;
            }
        };

        assertThatThrownBy(() -> screen(failing)).isSameAs(error);
    }

    @Test
    void onlyTheFirstWrongResultsAreKept() throws InterruptedException {
        Exercise broken = new Exercise() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public void run(int pattern, java.util.function.Consumer<WrongResult> wrong) {
                for (int i = 0; i < 2_500; i++) {
                    wrong.accept(new WrongResult("broken", pattern, i, 8, 0, 1));
                }
            }
        };

        assertThat(screen(broken)).allSatisfy(result -> {
            assertThat(result.wrong()).isEqualTo(2_500);
            assertThat(result.first()).hasSize(1_000);
        });
    }

    @Test
    void aThreadStaysOnItsProcessor() throws InterruptedException {
        assumeTrue(
                Processors.pin(Processors.allowed().get(0)),
                "skipped: threads cannot be pinned here, taskset is missing");

        assertThat(screen(new ChecksumExercise())).allMatch(ProcessorResult::pinned);
    }

    @Test
    void listsOfProcessors() {
        assertThat(Processors.list("0-2,5, 7-8")).containsExactly(0, 1, 2, 5, 7, 8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0-x", "", "0,,1", "0,3-1", "1-2-5", "0-2147483647", "100000", "-1"})
    void aListThatIsNoneIsRefused(String list) {
        assertThatThrownBy(() -> Processors.list(list))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("processors must be numbers and ranges such as 0-3,8; got '" + list + "'");
    }

    /** The check value of the catalogue of CRCs. */
    @Test
    void slowChecksumsAreThePublishedOnes() {
        byte[] digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

        assertThat(ChecksumExercise.slowly(digits, 0xedb88320)).isEqualTo(0xcbf43926);
        assertThat(ChecksumExercise.slowly(digits, 0x82f63b78)).isEqualTo(0xe3069283);
    }
}
