/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.TestGraphs;
import io.paritas.inference.serving.Role;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InstanceTaskTest {
    /** The models come just before the kill that nobody waits for them after. */
    @Test
    void modelsThatAreLoadedWhileTheTaskIsKilledAreClosed() {
        Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT);
        CompletableFuture<Map<Role, Model>> loading = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                complete(Map.of(Role.DEPLOYED, model));
                return super.cancel(mayInterrupt);
            }
        };
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> InstanceTask.await(loading)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        float[] row = new float[model.input().size()];
        assertThatThrownBy(() -> model.predict(row))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the model with " + model.input() + " is closed: load it again");
    }

    @Test
    void nothingIsClosedByATaskThatGetsItsModels() throws InterruptedException {
        try (Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT)) {
            assertThat(InstanceTask.await(CompletableFuture.completedFuture(Map.of(Role.DEPLOYED, model))))
                    .containsEntry(Role.DEPLOYED, model);
            assertThat(model.predict(new float[model.input().size()])).hasSize(3);
        }
    }
}
