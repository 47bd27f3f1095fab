/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.PluginSession;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.internal.plugin.PluginContextImpl;
import org.apache.spark.rpc.RpcEnv;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spark's own context of an executor's plugin, which reaches the driver over the network. */
class DriverEndpointTest {
    @RegisterExtension
    static final PluginSession SPARK = new PluginSession();

    /** The network of an executor: of its own, without connections. */
    private static RpcEnv network() {
        SparkEnv driver = SparkEnv.get();
        return RpcEnv.create("executor", "127.0.0.1", "127.0.0.1", 0, driver.conf(), driver.securityManager(), 1, true);
    }

    private static PluginContext context(RpcEnv network) {
        SparkEnv driver = SparkEnv.get();
        return new PluginContextImpl(
                ParitasPlugin.class.getName(), network, driver.metricsSystem(), driver.conf(), "1", Map.of());
    }

    /** Spark remembers a failed lookup of the endpoint: "Driver endpoint is not known." from then on. */
    @Test
    void messageOfAnInterruptedThreadFailsAlone() throws Exception {
        RpcEnv first = network();
        RpcEnv second = network();
        CountDownLatch answering = new CountDownLatch(1);
        try {
            // Loads classes, so that the lookup below waits for the network and nothing else.
            DriverEndpoint.resolve(context(first));
            new ExecutorSide().init(context(second), Map.of());
            // An answer that is there at once is taken, interrupted or not.
            RecordingComponent.answerFrom(answering);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> RecordingComponent.executor().ask("hello"))
                    .isInstanceOf(InterruptedException.class);
            Thread.interrupted();
            answering.countDown();
            assertThat(RecordingComponent.executor().ask("hello")).isEqualTo("hello, heard");
        } finally {
            answering.countDown();
            Thread.interrupted();
            first.shutdown();
            second.shutdown();
        }
    }
}
