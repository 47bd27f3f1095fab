/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RaceTest {
    private final Shape shape = new Shape(new CodeParameters(3, 2), 1000);
    private final List<Coder> here =
            Coders.ALL.stream().filter(coder -> coder.missing().get().isEmpty()).toList();

    @ParameterizedTest
    @EnumSource
    void measuresEveryCoderOfThisMachine(Operation operation) throws IOException {
        try (Race race = new Race(shape, having(shape.code(), operation), 2)) {
            Speeds speeds = race.run(operation, Duration.ZERO);
            assertThat(speeds.coders()).contains("rs_java", "plain", "copy");
            assertThat(speeds.coders()).allMatch(coder -> speeds.gigabytesPerSecond(coder) > 0);
            assertThat(speeds.ratio("rs_java", "rs_java")).hasValue(1.0);
            assertThat(speeds.ratio("rs_java", "no such coder")).isEmpty();
        }
    }

    /** More parity units than data units: not all of them can be tried at once. */
    @ParameterizedTest
    @CsvSource({"1,1", "2,3", "20,6"})
    void measuresUnusualShapes(int k, int r) throws IOException {
        CodeParameters code = new CodeParameters(k, r);
        List<Coder> having = having(code, Operation.DECODE_ALL);
        assertThat(having).extracting(Coder::name).contains("rs_java", "plain");
        try (Race race = new Race(new Shape(code, 1), having, 1)) {
            for (Operation operation : Operation.values()) {
                assertThat(race.run(operation, Duration.ZERO).coders()).hasSameSizeAs(having);
            }
        }
    }

    private List<Coder> having(CodeParameters code, Operation operation) {
        return here.stream().filter(coder -> coder.has().test(code, operation)).toList();
    }

    /** Each way to compute strips is checked by another one. */
    @ParameterizedTest
    @EnumSource
    void stripCodesRaceWhereTheirFieldIsLargeEnough(Operation operation) throws IOException {
        CodeParameters five = new CodeParameters(3, 2);
        List<Coder> fitting = StripCoders.ALL.stream()
                .filter(coder -> coder.has().test(five, operation))
                .toList();
        assertThat(fitting)
                .extracting(Coder::name)
                .contains("strips-3", "gemm-8", "packets-7")
                .hasSize(18);
        try (Race race = new Race(new Shape(five, 3000), fitting, 1)) {
            assertThat(race.run(operation, Duration.ZERO).coders()).hasSize(18);
        }
    }

    /** Four data units of one group are more than a local reconstruction code repairs, four of two groups are not. */
    @Test
    void aLocalReconstructionCodeRacesWhereItRepairsWhatIsLost() throws IOException {
        CodeParameters six = new CodeParameters(6, 4);
        CodeParameters twelve = new CodeParameters(12, 4);
        assertThat(having(shape.code(), Operation.ENCODE))
                .extracting(Coder::name)
                .doesNotContain("lrc");
        assertThat(having(six, Operation.DECODE_ALL)).extracting(Coder::name).contains("lrc");
        assertThat(having(twelve, Operation.DECODE_ONE)).extracting(Coder::name).contains("lrc");
        assertThat(having(twelve, Operation.DECODE_ALL)).extracting(Coder::name).doesNotContain("lrc");
        try (Race race = new Race(new Shape(six, 100), List.of(Coders.named("lrc")), 1)) {
            for (Operation operation : Operation.values()) {
                assertThat(race.run(operation, Duration.ZERO).coders()).containsExactly("lrc");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesACoderThatDoesNothing(Operation operation) throws IOException {
        Coder idle = new Coder("idle", "does nothing", () -> Optional.empty(), (code, any) -> true, RaceTest::idle);
        try (Race race = new Race(shape, List.of(idle), 1)) {
            assertThatThrownBy(() -> race.run(operation, Duration.ZERO))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("idle computes wrong bytes at: " + operation.title + ", (3,2). Please report it");
        }
    }

    private static Lane idle(Shape shape) {
        Stripe stripe = Stripe.random(shape, Generators.hdfsCauchy(shape.code()), ByteBuffer::allocate);
        return new JavaLane("idle", stripe, new JavaLane.Work() {
            @Override
            public void encode() {}

            @Override
            public void decode(int erased) {}
        });
    }
}
