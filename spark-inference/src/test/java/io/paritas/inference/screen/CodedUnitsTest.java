/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.inference.ModelPool;
import io.paritas.spark.ec.audit.CodedSlice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodedUnitsTest {
    private final Auditor auditor = new Auditor(ModelPool.shared());

    private static byte[][] random(int units) {
        byte[][] bytes = new byte[units][100];
        Random random = new Random(units);
        for (byte[] unit : bytes) {
            random.nextBytes(unit);
        }
        return bytes;
    }

    private Optional<float[]> answer(Sample sample) {
        return auditor.predict(sample.model(), 1, 1, sample.inputs());
    }

    /** Parity is made of data, and data of other data and parity. */
    @ParameterizedTest
    @CsvSource({"rs-3-2, 3", "paritas-6-3, 6", "xor-4, 4", "lrc-6-2-2, 6"})
    void whatWasCodedIsCodedAgain(String code, int k) {
        byte[][] data = random(k);
        List<Integer> sources = IntStream.range(0, k).boxed().toList();
        byte[][] parity = CodedSlice.make(code, sources, List.of(k), data);
        Sample encoded = CodedUnits.sample(new CodedSlice(code, sources, List.of(k), data, parity));

        assertThat(answer(encoded).orElseThrow()).containsExactly(encoded.outputs());

        parity[0][7] ^= 0x10;
        Sample wrong = CodedUnits.sample(new CodedSlice(code, sources, List.of(k), data, parity));
        Difference difference = Difference.of(answer(wrong).orElseThrow(), wrong.outputs(), 1);
        assertThat(difference.values()).isEqualTo(1);
        assertThat(difference.bits().get(4)).as("the bit of the byte").isEqualTo(1);
    }

    @Test
    void aCodeThatIsNotKnownCannotBeAudited() {
        assertThat(auditor.predict("code:new-3-2 0,1,2 3", 1, 1, new float[3])).isEmpty();
    }

    /** The thread of screening goes on, and the driver asks another executor. */
    @Test
    void whereTheAuditorItselfIsWrongAndNoticesThereIsNoAnswer() {
        assertThat(CodedUnits.made(() -> {
                    throw new CodingFaultException(3, 1);
                }))
                .isEmpty();
    }

    /** Floats of other processors may differ a little; bytes may not. */
    @Test
    void processorsOfAllKindsMustAgreeInEveryBit() {
        Jury jury = new Jury(Duration.ofMinutes(1));
        byte[][] data = random(3);
        byte[][] parity = CodedSlice.make("rs-3-2", List.of(0, 1, 2), List.of(3, 4), data);
        float[] right = CodedUnits.sample(new CodedSlice("rs-3-2", List.of(0, 1, 2), List.of(3, 4), data, parity))
                .outputs();
        parity[1][99] ^= 1;
        jury.submit(
                "1", "x86", CodedUnits.sample(new CodedSlice("rs-3-2", List.of(0, 1, 2), List.of(3, 4), data, parity)));

        assertThat(jury.answer(jury.next("2").orElseThrow().id(), "2", "arm", Optional.of(right)))
                .isEmpty();
        Verdict verdict = jury.answer(jury.next("3").orElseThrow().id(), "3", "x86", Optional.of(right))
                .orElseThrow();

        assertThat(verdict.wrong()).containsOnlyKeys("1");
        assertThat(verdict.right()).containsExactlyInAnyOrder("2", "3");
        assertThat(verdict.sha256()).isEqualTo("code:rs-3-2");
    }
}
