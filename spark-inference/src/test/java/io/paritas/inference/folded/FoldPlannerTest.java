/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.folded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.folded.FoldOptions.Rounding;
import io.paritas.inference.graph.Costs;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.NetworkName;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoldPlannerTest {
    /** Thesis, 4.3.3; FLOP/s are from there, bandwidths from data sheets. P4 and Xavier are printed as 58 and 235. */
    @ParameterizedTest
    @CsvSource({"T4, 203", "V100, 139", "A100, 201", "P4, 57", "xavier, 234"})
    void knowsThePublishedDevices(String name, int ratio) {
        assertThat((int) Math.round(DeviceProfile.named(name).cmr())).isEqualTo(ratio);
    }

    @Test
    void describesOtherDevices() {
        DeviceProfile cpu = DeviceProfile.cpu(2, 2.5, 32, 20);
        assertThat(cpu).hasToString("CPU with 2 cores (8 operations per byte)");
        assertThat(cpu.operations()).isEqualTo(160e9);
        assertThat(cpu.elementBytes()).isEqualTo(4);
        assertThatThrownBy(() -> DeviceProfile.named("H100"))
                .hasMessage("no device is named 'H100'; there are T4, P4, V100, A100, Xavier");
        assertThatThrownBy(() -> new DeviceProfile("x", 0, 1, 2))
                .hasMessage("the speeds of a device must be above 0, got 0.0 operations and 1.0 bytes per second"
                        + " of 2-byte numbers");
    }

    /** The layer of table 9.3: 3 · 32·9·32 / (½ · 64) = 864 places; at 11×26, three images are too few, four enough. */
    @Test
    void solvesTheFoldingInequality() {
        assertThat(FoldPlanner.leastPlaces(4, 32 * 9 * 32, 32, 32)).isEqualTo(864);
        assertThat(FoldPlanner.leastPlaces(2, 32 * 9 * 32, 32, 32)).isCloseTo(491.65, within(0.01));
        for (int rows : new int[] {3, 4}) {
            FoldPlan.Layer layer = FoldPlanner.plan(layer(32), rows, DeviceProfile.V100, Rounding.FLOOR)
                    .layers()
                    .get(1);
            assertThat(layer.helpedBy().contains(4)).isEqualTo(rows * 11 * 26 > 864);
        }
    }

    /** The inequality says what the traffic does: layer by layer for squares, where √f times the channels is exact. */
    @Test
    void agreesWithTheTraffic() {
        for (int rows = 4; rows <= 64; rows += 4) {
            for (int channels : new int[] {4, 16, 64, 128}) {
                FoldPlan.Layer layer = FoldPlanner.plan(layer(channels), rows, DeviceProfile.T4, Rounding.FLOOR)
                        .layers()
                        .get(1);
                Graph folded = Folding.fold(layer(channels), FoldOptions.of(4));
                long bytes = Costs.of(folded, rows / 4, 2).layers().get(1).bytes();
                assertThat(layer.helpedBy().contains(4))
                        .as(rows + " rows, " + channels + " channels")
                        .isEqualTo(bytes < layer.cost().bytes());
            }
        }
    }

    /** A layer in the middle of others. */
    private static Graph layer(int channels) {
        GraphBuilder net = new GraphBuilder(1, 11, 26);
        return net.output(net.convolution(
                net.convolution(
                        net.convolution(net.input(), Convolution.same(channels, 1)), Convolution.same(channels, 3)),
                Convolution.same(1, 1)));
    }

    @Test
    void recommendsWhatThePublicationMeasured() {
        FoldPlan plan = FoldPlanner.plan(NetworkName.NOSCOPE_N1.build(), 1024, DeviceProfile.V100, Rounding.FLOOR);
        assertThat(plan.fold()).isEqualTo(4);
        assertThat(plan.layers()).hasSize(4).allMatch(FoldPlan.Layer::bandwidthBound);
        assertThat(plan.forecasts()).extracting(FoldPlan.Forecast::fold).containsExactly(2, 3, 4);
        assertThat(plan.forecasts()).isSortedAccordingTo(Comparator.comparing(FoldPlan.Forecast::speedUp));
        assertThat(plan.reason())
                .matches("fold by 4: at 1024 rows the network has 58\\.7 operations per byte, and 4 of 4 layers wait"
                        + " for the memory of V100 \\(139 operations per byte\\); folded it has 118\\.8, which by"
                        + " the roofline model is 1\\.76 times as fast");
    }

    /** The estimates that the documentation sets beside the measured 2.51 and 0.90 (thesis, table 9.4). */
    @ParameterizedTest
    @CsvSource({"NOSCOPE_N1, 4, 1.76", "NOSCOPE_N4, 2, 1.08"})
    void estimatesSpeedUps(NetworkName name, int fold, double speedUp) {
        FoldPlan plan = FoldPlanner.plan(name.build(), 1024, DeviceProfile.V100, Rounding.FLOOR);
        assertThat(plan.forecasts().get(fold - 2).speedUp()).isCloseTo(speedUp, within(0.005));
    }

    @Test
    void advisesAgainstFoldsThatDoNotHelp() {
        FoldPlan plan = FoldPlanner.plan(NetworkName.NOSCOPE_N1.build(), 4, DeviceProfile.V100, Rounding.FLOOR);
        assertThat(plan.fold()).isEqualTo(1);
        assertThat(plan.reason())
                .isEqualTo("do not fold, not even by 2: at 4 rows the network has 17.8 operations per byte, and 4 of 4"
                        + " layers wait for the memory of V100 (139 operations per byte); folded it has 11.4,"
                        + " which by the roofline model is only 0.64 times as fast");
        FoldPlan cpu = FoldPlanner.plan(
                NetworkName.RESNET18_NARROW.build(), 1024, DeviceProfile.cpu(2, 2.5, 32, 20), Rounding.TILES);
        assertThat(cpu.fold()).isEqualTo(1);
        assertThat(cpu.forecasts().get(1).speedUp()).isGreaterThan(1.05);
        assertThat(cpu.forecasts().get(1).speedUpForEqualWork()).isLessThan(1.05);
    }

    /** Thesis, 9.5.2: N2 with f = 4 pays off unless the general network is more than 285 times slower. */
    @Test
    void knowsWhenLessAccuracyPaysOff() {
        assertThat((int) FoldPlanner.breakEven(2.5, 0.0021)).isEqualTo(285);
        assertThat(FoldPlanner.breakEven(2.5, 0)).isInfinite();
        assertThatThrownBy(() -> FoldPlanner.breakEven(0.9, 0.1))
                .hasMessage(
                        "the speed-up must be above 1 and the loss of accuracy between 0 and 1, got" + " 0.9 and 0.1");
        assertThatThrownBy(() -> FoldPlanner.leastPlaces(1, 1, 1, 1)).hasMessage("the fold must be at least 2, got 1");
    }
}
