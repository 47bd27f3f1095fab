/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.serving.trace.Traces;
import io.paritas.inference.spark.ExactModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EndpointTest {
    private static final int TRIES = 20;

    /** An address of no machine: RFC 5737. The instance is started again and again, on the same executor. */
    @Test
    void anInstanceThatCannotListenLeavesNothingOpen() throws InterruptedException {
        LocalSpark.session();
        try (Model model = ModelEngines.load(ExactModel.of(3, 2, 1).file(), ModelOptions.DEFAULT);
                Traces traces = Traces.of(TraceOptions.OFF)) {
            Descriptors.requireNoneKept(TRIES, () -> {
                ModelServer server = new ModelServer(model, "a model", "instance", traces);
                Endpoint.open(Role.DEPLOYED, model, server, "192.0.2.1");
            });
        }
    }
}
