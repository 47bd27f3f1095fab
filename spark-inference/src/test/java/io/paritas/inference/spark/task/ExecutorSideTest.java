/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import java.util.concurrent.ExecutorService;
import org.apache.spark.executor.Executor;
import org.junit.jupiter.api.Test;

class ExecutorSideTest {
    /** As where the system has none left. Spark looks for the error among the causes, too, and ends the executor where it finds one. */
    @Test
    void workThatGetsNoThreadIsRefused() {
        ExecutorService threads = ExecutorSide.threads(task -> {
            throw new OutOfMemoryError("unable to create native thread: thrown on purpose by this test");
        });
        assertThatThrownBy(() -> threads.submit(() -> 1))
                .isInstanceOf(ModelException.class)
                .hasMessage(
                        "a model must have a thread, and the system gives this executor none (unable to create native"
                                + " thread: thrown on purpose by this test): raise the limit of processes of the user (ulimit -u)"
                                + " or of the container")
                .satisfies(
                        failure -> assertThat(Executor.isFatalError(failure, 5)).isFalse());
    }
}
