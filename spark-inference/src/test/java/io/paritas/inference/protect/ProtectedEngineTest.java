/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngine;
import io.paritas.inference.ModelEngineContract;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.graph.RawGraph;
import org.junit.jupiter.api.Test;

class ProtectedEngineTest extends ModelEngineContract {
    @Override
    protected ModelEngine engine() {
        return new ProtectedEngine();
    }

    /** Found with random networks. */
    @Test
    void rowsMayBeSingleNumbers() {
        ModelFile file = RawGraph.of().node("LeakyRelu", "y", "input").file();
        try (Model model = engine().load(file, ModelOptions.DEFAULT)) {
            assertThat(model.predict(new float[] {2, -1})).containsExactly(2, -0.01f);
        }
    }
}
