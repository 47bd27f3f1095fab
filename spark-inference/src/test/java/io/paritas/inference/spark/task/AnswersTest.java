/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.paritas.inference.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswersTest {

    private static Answers through(Answers answers) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        answers.write(new DataOutputStream(bytes));
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        Answers read = Answers.read(in);
        assertThat(in.available()).isZero();
        return read;
    }

    @Test
    void crossInBytes() throws IOException {
        Answers answers = new Answers(3, 2);
        answers.set(0, new float[] {1.5f, Float.NaN}, Outcome.PREDICTED);
        answers.set(2, new float[] {-0f, Float.NEGATIVE_INFINITY}, Outcome.RECONSTRUCTED);
        Answers read = through(answers);
        assertThat(read.rows()).isEqualTo(3);
        assertThat(read.prediction(0)).containsExactly(1.5f, Float.NaN);
        assertThat(read.outcome(0)).isEqualTo(Outcome.PREDICTED);
        assertThat(read.prediction(1)).isNull();
        assertThat(read.outcome(1)).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(read.prediction(2)).containsExactly(-0f, Float.NEGATIVE_INFINITY);
        assertThat(read.outcome(2)).isEqualTo(Outcome.RECONSTRUCTED);
    }

    @Test
    void reasonsAreCutToWhatPeopleRead() throws IOException {
        Answers read = through(Answers.unavailable(2, 3, "錆".repeat(100_000)));
        assertThat(read.error(0)).isEqualTo("錆".repeat(1000) + " ...");
        assertThat(read.error(1)).isEqualTo(read.error(0));
        assertThat(through(new Answers(1, 1)).error(0)).isEmpty();
    }

    @Test
    void thereMayBeNone() throws IOException {
        assertThat(through(new Answers(0, 10)).rows()).isZero();
        assertThat(Answers.predicted(10, new float[0]).rows()).isZero();
    }

    @Test
    void onlyGapsAreFilled() {
        Answers answers = new Answers(3, 1);
        answers.set(1, new float[] {5}, Outcome.RECONSTRUCTED);
        Answers others = Answers.unavailable(3, 1, "tired");
        others.set(0, new float[] {7}, Outcome.PREDICTED);
        others.set(1, new float[] {8}, Outcome.PREDICTED);
        answers.fill(others);
        assertThat(answers.prediction(0)).containsExactly(7);
        assertThat(answers.prediction(1)).containsExactly(5);
        assertThat(answers.prediction(2)).isNull();
        assertThat(answers.error(2)).isEqualTo("tired");
        assertThat(answers.count(Outcome.PREDICTED)).isEqualTo(1);
        assertThat(answers.count(Outcome.RECONSTRUCTED)).isEqualTo(1);
        assertThat(answers.count(Outcome.UNAVAILABLE)).isEqualTo(1);
    }

    @Test
    void predictionsAreCopies() {
        Answers answers = Answers.predicted(2, new float[] {1, 2, 3, 4});
        answers.prediction(1)[0] = 9;
        assertThat(answers.prediction(1)).containsExactly(3, 4);
    }

    /** Of a block that is damaged. More than the heap has: an executor that ends when memory is short must not end for it. */
    @ParameterizedTest
    @CsvSource({
        "400000000, 1, '400000000 answers of 1 values must have 2000000000 bytes, there are 3'",
        "1, 400000000, '1 answers of 400000000 values must have 1600000001 bytes, there are 3'",
        "1000000000, 1, '1000000000 answers of 1 values cannot be: the bytes are damaged'",
        "-1, 1, '-1 answers of 1 values cannot be: the bytes are damaged'",
        "2147483647, 2147483647, '2147483647 answers of 2147483647 values cannot be: the bytes are damaged'",
    })
    void aNumberAloneTakesNoMemory(int rows, int size, String message) {
        byte[] block = ByteBuffer.allocate(16).putInt(rows).putInt(size).array();
        assertThatIOException()
                .isThrownBy(() -> Answers.read(new DataInputStream(new ByteArrayInputStream(block))))
                .withMessage(message);
    }
}
