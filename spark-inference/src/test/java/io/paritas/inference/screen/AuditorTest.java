/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AuditorTest {
    private final AtomicInteger closed = new AtomicInteger();

    private Optional<float[]> audit(Consumer<FloatBuffer> answers) {
        return Auditor.predict(
                () -> new Model() {
                    @Override
                    public TensorSpec input() {
                        return new TensorSpec("in", List.of(1));
                    }

                    @Override
                    public TensorSpec output() {
                        return new TensorSpec("out", List.of(1));
                    }

                    @Override
                    public Device device() {
                        return Device.CPU;
                    }

                    @Override
                    public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
                        answers.accept(outputs);
                    }

                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                },
                1,
                new float[1]);
    }

    /** The thread of screening goes on, and the driver asks another executor. */
    @Test
    void whatCannotBePredictedHereHasNoAnswer() {
        assertThat(audit(outputs -> outputs.put(3)).orElseThrow()).containsExactly(3);
        for (Throwable failure : List.of(
                new ModelException("thrown on purpose by this test"),
                new IllegalStateException("the model is closed: thrown on purpose by this test"),
                new OutOfMemoryError("Cannot reserve direct buffer memory: thrown on purpose by this test"))) {
            assertThat(audit(outputs -> {
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    }))
                    .as("%s", failure)
                    .isEmpty();
        }
        assertThat(closed).hasValue(4);
    }
}
