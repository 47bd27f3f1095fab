/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelException;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

class ExecutorSideTest {
    /** The system refuses a thread with a stack of 64 TiB, as it does any where it has none left. */
    @Test
    void workThatGetsNoThreadIsRefused() {
        ExecutorService threads = ExecutorSide.threads(work -> new Thread(null, work, "too large", 1L << 46));
        assertThatThrownBy(() -> threads.submit(() -> 1))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a model must have a thread, and the system gives this executor none (unable to"
                        + " create native thread")
                .hasMessageEndingWith("): raise the limit of processes of the user (ulimit -u) or of the container");
    }
}
