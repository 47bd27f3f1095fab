/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.serving.trace.Traces;
import io.paritas.inference.spark.ExactModel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EndpointTest {
    private static final int TRIES = 20;

    /** An address of no machine: RFC 5737. The instance is started again and again, on the same executor. */
    @Test
    void anInstanceThatCannotListenLeavesNothingOpen() throws InterruptedException {
        LocalSpark.session();
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (Model model = ModelEngines.load(ExactModel.of(3, 2, 1).file(), ModelOptions.DEFAULT);
                Traces traces = Traces.of(TraceOptions.OFF)) {
            long before = system.getOpenFileDescriptorCount();

            for (int i = 0; i < TRIES; i++) {
                ModelServer server = new ModelServer(model, "a model", "instance", traces);
                assertThatThrownBy(() -> Endpoint.open(Role.DEPLOYED, model, server, "192.0.2.1"))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("Cannot assign requested address");
            }

            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (system.getOpenFileDescriptorCount() >= before + TRIES && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(system.getOpenFileDescriptorCount()).isLessThan(before + TRIES);
        }
    }
}
