/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.TensorSpec;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrontEndTest {
    private static final float[] QUERY = new float[3];

    private final FrontEnd frontEnd = new FrontEnd();

    @AfterEach
    void end() {
        frontEnd.close();
    }

    private static ServedModel model(Policy policy, Limits limits) {
        return new ServedModel(
                "linear",
                "1",
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(2)),
                policy,
                limits);
    }

    @Test
    void moreQueriesThanMayEverWaitAreAnError() {
        frontEnd.add(model(new Policy.Uncoded(), Limits.DEFAULT.withWaiting(2)));

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        frontEnd.predict("linear", "", "tenant", Collections.nCopies(3, QUERY), Duration.ofMinutes(1)))
                .withMessage("the queries that are asked of the model linear, version 1 at once must be at most 2, as many"
                        + " as may wait for an instance, got 3: ask for fewer at once");
        assertThat(frontEnd.predict("linear", "", "tenant", Collections.nCopies(2, QUERY), Duration.ofMinutes(1)))
                .hasSize(2);
    }
}
