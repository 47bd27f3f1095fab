/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.GraphBuilder;
import io.paritas.inference.graph.GraphBuilder.Convolution;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.torch.Network.Mode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bytedeco.pytorch.CompilationUnit;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ScriptNetworkTest {

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    /** Convolution (3 → 8, 5 × 5), normalisation, linear layer (8 → 4000). */
    private static Graph graph() {
        GraphBuilder builder = new GraphBuilder(3, 5, 5);
        var features = builder.batchNorm(
                builder.convolution(builder.input(), Convolution.same(8, 5).padding(0)));
        return builder.output(builder.linear(builder.flatten(features), 4000));
    }

    private static Map<String, float[]> weights(ModelFile file) {
        try (Scope scope = Scope.withoutGradients()) {
            JitModule module = ScriptFile.read(file, Place.of(Device.CPU)).module();
            Map<String, float[]> weights = new TreeMap<>();
            var parameters = module.named_parameters();
            for (var at = parameters.begin(); at.notEquals(parameters.end()); at.increment()) {
                weights.put(
                        at.access().name().getString(), new Tensor(at.access().value()).values());
            }
            var buffers = module.named_buffers();
            for (var at = buffers.begin(); at.notEquals(buffers.end()); at.increment()) {
                weights.put(
                        at.access().name().getString(), new Tensor(at.access().value()).values());
            }
            return weights;
        }
    }

    private static Map<String, float[]> fresh(Initialisation initialisation, long seed) {
        ModelFile file = TorchScripts.write(Initialisation.HE.apply(graph(), 9));
        try (Network network = TrainableNetworks.fresh(file, initialisation, seed, Device.CPU)) {
            try (Scope scope = Scope.withoutGradients()) {
                /* Moves the running statistics, which must be fresh again below. */
                network.forward(Tensor.of(Device.CPU, new float[300], 4, 3, 5, 5), Mode.TRAINING);
            }
            try (Network again = TrainableNetworks.fresh(network.toModelFile(), initialisation, seed, Device.CPU)) {
                return weights(again.toModelFile());
            }
        }
    }

    private static float[] filled(int count, float value) {
        float[] values = new float[count];
        Arrays.fill(values, value);
        return values;
    }

    private static double deviation(float[] values) {
        double squares = 0;
        for (float value : values) {
            squares += (double) value * value;
        }
        return Math.sqrt(squares / values.length);
    }

    /** LibTorch makes the variance NaN, and the loss stays finite. */
    @Test
    void aNormalisationThatWasTrainedWithOneRowIsNotStored() {
        ModelFile file = TorchScripts.write(Initialisation.HE.apply(graph(), 9));
        try (Network network = TrainableNetworks.trainable(file, Device.CPU);
                Scope scope = Scope.withoutGradients()) {
            network.forward(Tensor.of(Device.CPU, new float[75], 1, 3, 5, 5), Mode.TRAINING);
            assertThatThrownBy(network::toModelFile)
                    .isInstanceOf(ModelException.class)
                    .hasMessage("a trained network must have finite values, 'bn1.running_var' has others: use larger"
                            + " batches, as a batch normalisation needs more than one row, or a lower learning rate");
        }
    }

    @Test
    void freshWeightsFollowTheRules() {
        Map<String, float[]> pytorch = fresh(Initialisation.PYTORCH, 1);
        assertThat(pytorch.keySet())
                .containsExactly(
                        "bn1.bias",
                        "bn1.running_mean",
                        "bn1.running_var",
                        "bn1.weight",
                        "conv1.bias",
                        "conv1.weight",
                        "fc1.bias",
                        "fc1.weight");
        for (Map<String, float[]> weights : List.of(pytorch, fresh(Initialisation.XAVIER, 1))) {
            assertThat(weights.get("bn1.weight")).containsExactly(filled(8, 1));
            assertThat(weights.get("bn1.bias")).containsExactly(new float[8]);
            assertThat(weights.get("bn1.running_mean")).containsExactly(new float[8]);
            assertThat(weights.get("bn1.running_var")).containsExactly(filled(8, 1));
        }
        assertThat(deviation(pytorch.get("conv1.weight"))).isCloseTo(1 / Math.sqrt(75 * 3), within(0.005));
        assertThat(deviation(pytorch.get("fc1.weight"))).isCloseTo(1 / Math.sqrt(8 * 3), within(0.005));
        assertThat(deviation(pytorch.get("fc1.bias"))).isCloseTo(1 / Math.sqrt(8 * 3), within(0.005));
        Map<String, float[]> xavier = fresh(Initialisation.XAVIER, 1);
        assertThat(deviation(xavier.get("fc1.weight"))).isCloseTo(0.01, within(0.0005));
        assertThat(xavier.get("fc1.bias")).containsExactly(new float[4000]);
    }

    @Test
    void equalSeedsGiveEqualWeights() {
        assertThat(fresh(Initialisation.HE, 4).get("conv1.weight"))
                .containsExactly(fresh(Initialisation.HE, 4).get("conv1.weight"))
                .isNotEqualTo(fresh(Initialisation.HE, 5).get("conv1.weight"));
    }

    @Test
    void aFileKeepsTheShapeOfItsInput() {
        ModelFile file = TorchScripts.write(graph());
        try (ScriptNetwork network = ScriptNetwork.fresh(file, Initialisation.HE, 1, Place.of(Device.CPU))) {
            assertThat(network.inputShape()).containsExactly(3, 5, 5);
            try (ScriptNetwork again = ScriptNetwork.frozen(network.toModelFile(), Place.of(Device.CPU))) {
                assertThat(again.inputShape()).containsExactly(3, 5, 5);
            }
        }
    }

    @Test
    void refusesToTrainAProgramWithoutParameters() {
        ModelFile frozen;
        try (Scope scope = Scope.withoutGradients()) {
            JitModule module = ScriptFile.read(
                            TorchScripts.write(Initialisation.HE.apply(graph(), 1)), Place.of(Device.CPU))
                    .module();
            frozen = new ScriptFile(torch.freeze(module), List.of(3, 5, 5)).toModelFile();
        }
        for (ThrowingCallable training : new ThrowingCallable[] {
            () -> TrainableNetworks.fresh(frozen, Initialisation.HE, 1, Device.CPU),
            () -> TrainableNetworks.trainable(frozen, Device.CPU),
        }) {
            assertThatThrownBy(training)
                    .isInstanceOf(ModelException.class)
                    .hasMessage("a network must have parameters to be trained, this TorchScript model has none:"
                            + " save it with torch.jit.script or torch.jit.trace, without torch.jit.freeze");
        }
        try (Network base = TrainableNetworks.frozen(frozen, Device.CPU);
                Scope scope = Scope.open()) {
            Tensor rows = Tensor.of(Device.CPU, filled(75, 1), 1, 3, 5, 5);
            rows.raw().requires_grad_(true);
            base.forward(rows, Mode.INFERENCE).sum().raw().backward();
            assertThat(deviation(new Tensor(rows.raw().grad()).values())).isPositive();
        }
    }

    @Test
    void refusesParametersOfAnUnknownKind() {
        ModelFile file;
        try (Scope scope = Scope.withoutGradients()) {
            JitModule module = new JitModule(new QualifiedName("__torch__.Program"), new CompilationUnit(), false);
            module.register_parameter("slope", torch.ones(3), false);
            module.define("def forward(self, x):\n    return torch.prelu(x, self.slope)\n");
            file = new ScriptFile(module, List.of(3)).toModelFile();
        }
        assertThatThrownBy(() -> TrainableNetworks.fresh(file, Initialisation.HE, 1, Device.CPU))
                .isInstanceOf(ModelException.class)
                .hasMessage("a parameter must be the weight or bias of a convolution, linear layer or normalisation,"
                        + " 'slope' of shape [3] is not");
    }

    @Test
    void refusesDamagedFiles() {
        byte[] zip = {'P', 'K', 3, 4, 0};
        assertThatThrownBy(() -> TrainableNetworks.frozen(ModelFile.of(zip), Device.CPU))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("libtorch cannot load the TorchScript model of 5 bytes with the hash ")
                .hasMessageContaining("it is damaged, or was not written by torch.jit.save: ");
    }
}
