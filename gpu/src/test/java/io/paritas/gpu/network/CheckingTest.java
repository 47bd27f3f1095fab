/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.paritas.gpu.Device;
import io.paritas.gpu.network.Check.ByScheme;
import io.paritas.gpu.network.Check.SecondRun;
import io.paritas.gpu.nn.Precision;
import io.paritas.gpu.nn.Scheme;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.folded.FoldOptions;
import io.paritas.inference.folded.Folding;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.NetworkName;
import io.paritas.inference.graph.Networks;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.Weight;
import io.paritas.inference.protect.LayerFindings;
import io.paritas.inference.protect.ProtectionCounts;
import io.paritas.inference.protect.ProtectionPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks that check what they compute, and find nothing wrong. */
@Tag("kernels")
class CheckingTest {
    private final Device device = new Device();

    @AfterEach
    void close() {
        device.close();
    }

    private static NetworkPlan checked(Graph graph, Precision precision, Scheme scheme) {
        NetworkPlan plan = Planner.plan(graph, precision);
        return Checking.add(plan, Collections.nCopies(plan.layers().size(), scheme));
    }

    /** A product measures what the next one's check needs; only the first one must measure its input. */
    @Test
    void whatAProductStoresItMeasures() {
        NetworkPlan plan = checked(Networks.mlp(List.of(16), 3), Precision.SINGLE, Scheme.GLOBAL);
        assertThat(plan.layers()).hasSize(3);
        List<ByScheme> checks = plan.checks().stream().map(ByScheme.class::cast).toList();
        assertThat(checks).extracting(ByScheme::measures).containsExactly(true, false, false);
        assertThat(checks.get(1).measured()).isPresent().isEqualTo(checks.get(0).next());
        assertThat(checks.get(2).measured()).isPresent().isEqualTo(checks.get(1).next());
        assertThat(checks.get(2).next()).as("nobody reads the last one").isEmpty();
        /* Two blocks of 64 columns, of 200: parts of the squared norm of a row. */
        assertThat(checks.get(0).next().orElseThrow().parts()).isEqualTo(4);
        /* A sum of each of 4 blocks of columns, and 16 parts of what it must be, in each 64 rows: for one row and for 65. */
        int sums = checks.get(0).blockSums().orElseThrow();
        assertThat(plan.buffers().get(sums).bytes(1)).isEqualTo(20 * Float.BYTES);
        assertThat(plan.buffers().get(sums).bytes(65)).isEqualTo(2 * 20 * Float.BYTES);
        assertThat(plan.arrivals(65)).isEqualTo(2);
    }

    /** Pixels are rows of the product that has made them; what a pool has made is measured. */
    @Test
    void aConvolutionMeasuresThePixelsForTheNextOne() {
        GraphBuilder net = new GraphBuilder(8, 6, 6);
        GraphBuilder.Value first = net.convolution(net.input(), Convolution.same(16, 3));
        GraphBuilder.Value second = net.convolution(first, Convolution.same(16, 3));
        NetworkPlan plan = checked(
                net.output(net.convolution(net.maxPool(second, 2, 2), Convolution.same(4, 3))),
                Precision.HALF,
                Scheme.THREAD);
        List<ByScheme> checks = plan.checks().stream()
                .filter(ByScheme.class::isInstance)
                .map(ByScheme.class::cast)
                .toList();
        assertThat(checks).extracting(ByScheme::measures).containsExactly(true, false, true);
        assertThat(checks.get(1).measured()).isPresent().isEqualTo(checks.get(0).next());
        int squares = checks.get(1).measured().orElseThrow().squares();
        assertThat(plan.buffers().get(squares).bytes(1)).isEqualTo(36 * Float.BYTES);
    }

    @Test
    void whatIsNoProductRunsTwice() {
        NetworkPlan plan = checked(Networks.lenet5(List.of(1, 28, 28), 10), Precision.HALF, Scheme.THREAD);
        List<String> kinds = new ArrayList<>();
        for (int i = 0; i < plan.steps().size(); i++) {
            kinds.add(plan.steps().get(i).kind() + (plan.checks().get(i) instanceof SecondRun ? " twice" : ""));
        }
        assertThat(kinds)
                .containsExactly(
                        "Widen twice",
                        "Product",
                        "Pool twice",
                        "Widen twice",
                        "Product",
                        "Pool twice",
                        "Product",
                        "Product",
                        "Product");
        assertThat(plan.operators()).contains("Conv 'conv1'", "Gemm 'fc3'").hasSameSizeAs(plan.steps());
        assertThat(plan.layers())
                .containsExactly("Conv 'conv1'", "Conv 'conv2'", "Gemm 'fc1'", "Gemm 'fc2'", "Gemm 'fc3'");
    }

    @ParameterizedTest
    @EnumSource
    void whatChecksKeepHasAPlaceOfItsOwn(NetworkName name) {
        NetworkPlan plan = checked(name.build(), Precision.HALF, Scheme.GLOBAL);
        ArenaTest.check(plan.uses(1));
        ArenaTest.check(plan.uses(7));
    }

    static Stream<Arguments> networks() {
        GraphBuilder net = new GraphBuilder(6, 5, 5);
        Graph groups = net.output(net.linear(
                net.flatten(net.relu(
                        net.convolution(net.input(), Convolution.same(4, 3).groups(2)))),
                3));
        return Stream.of(
                        arguments("mlp", Networks.mlp(List.of(20), 7)),
                        arguments("lenet", Networks.lenet5(List.of(1, 28, 28), 10)),
                        arguments("groups", groups),
                        arguments("resnet", Networks.resNet18(List.of(3, 8, 8), 10, 4)),
                        arguments("fold", Folding.fold(Networks.lenet5(List.of(1, 28, 28), 10), FoldOptions.of(2))),
                        arguments("encoder", Networks.convEncoder(2, 2, 9, 11)))
                .flatMap(each -> Stream.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED, Scheme.DUPLICATION)
                        .map(scheme -> arguments(each.get()[0], each.get()[1], scheme)));
    }

    /** Bit by bit, launch by launch and in a graph, in batches that fill their blocks and others. */
    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("networks")
    void aCheckedNetworkPredictsWhatAnUncheckedOneDoes(String name, Graph plain, Scheme scheme) {
        Graph graph = Reference.random(plain);
        GpuModel.Limits limits = new GpuModel.Limits(1, 512L << 20);
        for (Precision precision : Precision.values()) {
            NetworkPlan plan = checked(graph, precision, scheme);
            try (GpuModel unchecked = Reference.load(graph, precision);
                    GpuModel model = GpuModel.load(graph.input(), graph.output(), plan, limits)) {
                for (int rows : new int[] {3, 1, 3, 4}) {
                    float[] inputs = Reference.rows(graph, rows);
                    try (LayerFindings found = LayerFindings.open()) {
                        assertThat(model.predict(inputs))
                                .as("%s in %s, %d rows", name, precision, rows)
                                .isEqualTo(unchecked.predict(inputs));
                        assertThat(found.counts())
                                .isEqualTo(new ProtectionCounts(plan.comparisons(Lane.size(rows)), 0, 0, 0));
                        assertThat(found.layers()).isEmpty();
                    }
                }
                assertThat(plan.comparisons(1))
                        .isGreaterThanOrEqualTo(plan.steps().size() - 2L);
            }
        }
    }

    @Test
    void aLayerThatASchemeCannotCheckIsNamed() {
        Graph graph = Networks.mlp(List.of(4), 3);
        Weight matrix = graph.weights().get("fc1.weight");
        float[] large = new float[matrix.size()];
        Arrays.fill(large, 60_000);
        NetworkPlan plan = checked(graph.with(List.of(matrix.with(large))), Precision.HALF, Scheme.THREAD);
        assertThatThrownBy(() -> new DeviceNetwork(plan))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("gpu cannot check Gemm 'fc1': the scheme thread adds 4 weights in float16")
                .hasMessageEndingWith(": use global, replication or duplication");
    }

    @Test
    void weightedSumsAreForTheProcessor() {
        ModelOptions options = ModelOptions.DEFAULT
                .withDevice(io.paritas.inference.Device.CUDA)
                .withProtection(Protection.of(Protection.Mode.WEIGHTED));
        ModelFile file = Reference.random(Networks.mlp(List.of(4), 3)).toModelFile();
        assertThatThrownBy(() -> ModelEngines.load(file, options))
                .isInstanceOf(ModelException.class)
                .hasMessage("gpu protects by global, thread or guided, weighted was asked for: choose another, or the"
                        + " engine 'protected' on the CPU");
    }

    static Stream<Arguments> guided() {
        return Stream.of(
                arguments("mlp", Networks.mlp(List.of(4), 3)),
                arguments("resnet", Networks.resNet18(List.of(3, 8, 8), 10, 4)),
                arguments(
                        "gate, which the CPU cannot protect",
                        RawGraph.of(3, 5, 5)
                                .weight("kernel", 4, 3, 3, 3)
                                .node("Conv", "conv", "input", "kernel")
                                .node("Sigmoid", "open", "conv")
                                .node("Mul", "out", "conv", "open")
                                .build()),
                arguments(
                        "rows of rows",
                        RawGraph.of(4, 6)
                                .weight("w", 6, 5)
                                .node("MatMul", "out", "input", "w")
                                .build()));
    }

    /** Measured where it is loaded, or by a plan. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("guided")
    void guidedProtectionFollowsAPlan(String name, Graph plain) {
        ModelFile file = Reference.random(plain).toModelFile();
        ProtectionPlan plan = plan(file);
        assertThat(plan.device().name()).endsWith(", float32");
        for (String given : List.of("", plan.json())) {
            try (Model model = ModelEngines.load(file, guided(given));
                    LayerFindings found = LayerFindings.open()) {
                model.predict(new float[2 * model.input().size()]);
                assertThat(found.counts().checks()).as(name).isPositive();
            }
        }
    }

    private static ProtectionPlan plan(ModelFile file) {
        return io.paritas.inference.protect.Planner.plan(
                file, 2, Duration.ofMillis(5), new GpuPlanning(Precision.SINGLE));
    }

    private static ModelOptions guided(String plan) {
        return ModelOptions.DEFAULT
                .withDevice(io.paritas.inference.Device.CUDA)
                .withProtection(new Protection(Protection.Mode.GUIDED, plan));
    }

    @Test
    void aPlanMustBeTheModels() {
        ModelFile file = Reference.random(Networks.mlp(List.of(4), 3)).toModelFile();
        ModelFile other = Reference.random(Networks.mlp(List.of(5), 3)).toModelFile();
        ModelOptions guided = guided(plan(file).json());
        assertThatThrownBy(() -> ModelEngines.load(other, guided))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("a protection plan must be for its model: the plan is for " + file.sha256());
    }

    /** A convolution that takes a sum along is launched after the one that makes what it adds, whichever is first in the graph. */
    @Test
    void schemesAreInTheOrderOfTheGraph() {
        Graph graph = Networks.resNet18(List.of(3, 8, 8), 10, 4);
        NetworkPlan plan = Planner.plan(graph, Precision.SINGLE);
        List<String> layers = graph.nodes().stream()
                .filter(node -> List.of("Conv", "Gemm").contains(node.op()))
                .map(Object::toString)
                .toList();
        assertThat(plan.layers()).isEqualTo(layers);
        assertThat(plan.operators().stream().filter(layers::contains).distinct())
                .as("launched in another order")
                .isNotEqualTo(layers);

        List<Scheme> three = List.of(Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED);
        List<Scheme> schemes = IntStream.range(0, layers.size())
                .mapToObj(layer -> three.get(layer % three.size()))
                .toList();
        NetworkPlan checked = Checking.add(plan, schemes);
        for (int i = 0; i < checked.steps().size(); i++) {
            if (checked.checks().get(i) instanceof ByScheme check) {
                String layer = checked.operators().get(i);
                assertThat(check.scheme()).as(layer).isEqualTo(schemes.get(layers.indexOf(layer)));
            }
        }
    }
}
