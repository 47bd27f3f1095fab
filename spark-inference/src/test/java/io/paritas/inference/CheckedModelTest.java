/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckedModelTest {
    /** A model without memory. */
    private static final class Full extends CheckedModel {
        private static final TensorSpec ROW = new TensorSpec("x", List.of(1));

        Full(Device device) {
            super("full", ROW, ROW, device);
        }

        @Override
        protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            throw new ModelException("full cannot predict: std::bad_alloc", null);
        }

        @Override
        protected void free() {}
    }

    @Test
    void shortMemoryOfTheHostGetsAdvice() {
        try (Model model = new Full(Device.CPU)) {
            assertThatThrownBy(() -> model.predict(new float[1]))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("full cannot predict: std::bad_alloc: the engine cannot allocate memory for this batch:"
                            + " predict fewer at once (on Spark, with the option batchRows), or give the process more"
                            + " memory beside its heap (spark.executor.memoryOverhead)");
        }
    }

    /** As RMM says it, whose memory the host's is not. */
    @Test
    void fullMemoryOfAGpuIsNotTakenForThatOfTheHost() {
        try (Model model = new Full(Device.CUDA)) {
            assertThatThrownBy(() -> model.predict(new float[1]))
                    .isInstanceOf(ModelException.class)
                    .hasMessage("full cannot predict: std::bad_alloc");
        }
    }
}
