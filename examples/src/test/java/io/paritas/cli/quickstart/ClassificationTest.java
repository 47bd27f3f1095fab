/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.cli.quickstart.Classification.Job;
import org.junit.jupiter.api.Test;

class ClassificationTest {
    private static final String PRINTED = """
            /images, without trouble
            plain: 60 rows in 3.5 s: 60 predicted, 0 reconstructed, 0 unavailable
            coded: 60 rows in 2.1 s: 49 predicted, 10 reconstructed, 1 unavailable
            same label: 57 of 60
            same label, reconstructed: 8 of 10
            """;

    @Test
    void readsWhatTheProgramPrints() {
        Classification classification = Classification.parse(PRINTED);

        assertThat(classification)
                .isEqualTo(new Classification(new Job(60, 3.5, 60, 0, 0), new Job(60, 2.1, 49, 10, 1), 57, 8));
        assertThat(classification.reconstructed()).isEqualTo("10 of 60, 8 alike");
    }

    @Test
    void isCompleteIfEveryImageHasALabel() {
        assertThat(new Job(60, 1, 50, 10, 0).complete(60)).isTrue();
        assertThat(new Job(60, 1, 50, 10, 0).complete(61)).isFalse();
        assertThat(new Job(60, 1, 50, 9, 1).complete(60)).isFalse();
    }

    @Test
    void refusesWhatSomethingElsePrints() {
        assertThatThrownBy(() -> Classification.parse("oops"))
                .isInstanceOf(CheckFailed.class)
                .hasMessage("a classification must print both jobs and their agreement, got: oops");
    }
}
