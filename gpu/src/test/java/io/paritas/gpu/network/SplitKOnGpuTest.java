/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.gpu.Device;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.gpu.nn.SplitK;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A network whose products are divided along their sums. */
@Tag("kernels")
class SplitKOnGpuTest {
    private static final String SETTING = "io.paritas.gpu.splitK";

    private final Device device = new Device();

    @BeforeEach
    void divide() {
        device.set(SETTING, "true");
    }

    @AfterEach
    void close() {
        device.close();
    }

    static Stream<Arguments> schemes() {
        return Arrays.stream(Precision.values()).flatMap(precision -> Arrays.stream(Scheme.values())
                .filter(scheme -> scheme.supports(precision))
                .map(scheme -> Arguments.of(precision, scheme)));
    }

    /** Its convolution has sums of 1,152 products; for 17 images, in two tiles. */
    private static Graph network() {
        GraphBuilder net = new GraphBuilder(128, 2, 2);
        GraphBuilder.Value images = net.relu(net.convolution(net.input(), Convolution.same(16, 3)));
        return Reference.random(net.output(net.linear(net.flatten(images), 10)));
    }

    private static NetworkPlan plan(Graph graph, Precision precision, Scheme scheme) {
        NetworkPlan plan = Planner.plan(graph, precision);
        return Checking.add(plan, Collections.nCopies(plan.layers().size(), scheme));
    }

    /* On a GPU tiles are at work at the same time, which the emulator does not show. */
    @Test
    void countersOfTilesAndOfRowsAreApart() {
        NetworkPlan plan = plan(network(), Precision.HALF, Scheme.GLOBAL);
        try (DeviceNetwork network = new DeviceNetwork(plan)) {
            List<long[]> addresses = network.launches(17, plan.arena(17), 0, 4096, Optional.empty()).stream()
                    .filter(launch -> launch.arguments().contains(0f))
                    .map(launch -> (long[]) launch.arguments().get(0))
                    .toList();
            assertThat(addresses).hasSize(2).allSatisfy(at -> {
                long arrivals = at[7];
                long finished = at[13];
                assertThat(finished).isEqualTo(4096);
                assertThat(arrivals).isEqualTo(finished + SplitK.bytes());
                assertThat(arrivals + (long) plan.arrivals(17) * Integer.BYTES)
                        .isEqualTo(finished + network.standingBytes(17));
            });
        }
    }

    /* Batches of different sizes share what products keep besides the arena. */
    @ParameterizedTest
    @MethodSource("schemes")
    void predictsTheSameEachTime(Precision precision, Scheme scheme) {
        Graph graph = network();
        NetworkPlan checked = plan(graph, precision, scheme);
        float[] rows = Reference.rows(graph, 17);
        float[] expected = Reference.predict(graph, rows);
        try (GpuModel model =
                GpuModel.load(graph.input(), graph.output(), checked, new GpuModel.Limits(1, 512L << 20))) {
            for (int count : new int[] {1, 17, 1}) {
                float[] first = Arrays.copyOf(rows, count * graph.input().size());
                float[] got = model.predict(first);
                Reference.isNear(
                        count + " rows, " + scheme + " in " + precision,
                        Arrays.copyOf(expected, got.length),
                        got,
                        precision);
                assertThat(model.predict(first)).containsExactly(got);
            }
        }
    }
}
