/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.ModelEngines.Found;
import io.paritas.inference.graph.RawGraph;
import io.paritas.inference.graph.TestGraphs;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModelEnginesTest {
    private record Engine(String name, Set<ModelFormat> formats, Optional<String> refusal, boolean needsGpu)
            implements ModelEngine {
        Engine(String name, ModelFormat format, String refusal) {
            this(name, Set.of(format), Optional.ofNullable(refusal), false);
        }

        @Override
        public Optional<String> unavailable(Device device) {
            return device == Device.CUDA ? Optional.of("there is no GPU; buy one") : refusal;
        }

        @Override
        public Model load(ModelFile file, ModelOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private record BrokenEngine(String name) implements ModelEngine {
        @Override
        public Set<ModelFormat> formats() {
            return Set.of(ModelFormat.ONNX);
        }

        @Override
        public Optional<String> unavailable(Device device) {
            throw new UnsatisfiedLinkError("libbroken.so");
        }

        @Override
        public Model load(ModelFile file, ModelOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private static final ModelEngine ORT = new Engine("onnxruntime", ModelFormat.ONNX, null);
    private static final ModelEngine ASLEEP = new Engine("asleep", ModelFormat.ONNX, "it is night; wait");
    private static final ModelEngine TORCH = new Engine("libtorch", ModelFormat.TORCHSCRIPT, null);
    private static final ModelEngine ALL = new Engine("all", ModelFormat.ONNX, null);

    private static ModelEngine choose(ModelFormat format, ModelOptions options, ModelEngine... engines) {
        return ModelEngines.choose(format, options, new Found(List.of(engines), List.of()));
    }

    @Test
    void autoTakesTheFirstThatReadsTheFormatAndRuns() {
        assertThat(choose(ModelFormat.ONNX, ModelOptions.DEFAULT, TORCH, ASLEEP, ALL, ORT))
                .isSameAs(ORT);
        assertThat(choose(ModelFormat.ONNX, ModelOptions.DEFAULT, TORCH, ASLEEP, ALL))
                .isSameAs(ALL);
        assertThat(choose(ModelFormat.TORCHSCRIPT, ModelOptions.DEFAULT, ORT, TORCH))
                .isSameAs(TORCH);
    }

    @Test
    void onnxruntimeIsAskedFirstThenTheOthersByName() {
        assertThat(new Found(List.of(TORCH, ALL, ORT, ASLEEP), List.of()).engines())
                .containsExactly(ORT, ALL, ASLEEP, TORCH);
    }

    @Test
    void whereNoneCanEveryReasonIsTold() {
        Found found = new Found(List.of(TORCH, ASLEEP, new BrokenEngine("broken")), List.of("gone.Engine not found"));
        assertThatThrownBy(() -> ModelEngines.choose(ModelFormat.ONNX, ModelOptions.DEFAULT, found))
                .isInstanceOf(ModelException.class)
                .hasMessage("no engine can load a model in the format ONNX for the device AUTO here:"
                        + " asleep: it is night; wait;"
                        + " broken: its library cannot be loaded: java.lang.UnsatisfiedLinkError: libbroken.so;"
                        + " libtorch: it reads [TORCHSCRIPT], the model is ONNX; gone.Engine not found");
        assertThatThrownBy(() -> choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withDevice(Device.CUDA), ORT))
                .isInstanceOf(ModelException.class)
                .hasMessage("no engine can load a model in the format ONNX for the device CUDA here:"
                        + " onnxruntime: there is no GPU; buy one");
        assertThatThrownBy(() -> choose(ModelFormat.ONNX, ModelOptions.DEFAULT))
                .isInstanceOf(ModelException.class)
                .hasMessage("no engine can load a model in the format ONNX for the device AUTO here: there is none");
    }

    /** An engine that reads every model, and runs none. */
    private record Picky(String name, boolean needsGpu, ModelException refusal) implements ModelEngine {
        Picky(String name) {
            this(name, false, new UnsupportedModelException("it knows no Gemm"));
        }

        @Override
        public Set<ModelFormat> formats() {
            return Set.of(ModelFormat.ONNX);
        }

        @Override
        public Optional<String> unavailable(Device device) {
            return needsGpu && device == Device.CPU ? Optional.of("it runs on GPUs only") : Optional.empty();
        }

        @Override
        public Model load(ModelFile file, ModelOptions options) {
            throw refusal;
        }
    }

    /** An engine that is asked after all others. */
    private record LastResort(ModelEngine engine) implements ModelEngine {
        @Override
        public String name() {
            return "zero";
        }

        @Override
        public Set<ModelFormat> formats() {
            return engine.formats();
        }

        @Override
        public Optional<String> unavailable(Device device) {
            return engine.unavailable(device);
        }

        @Override
        public Model load(ModelFile file, ModelOptions options) {
            return engine.load(file, options);
        }
    }

    @Test
    void autoGoesOnToTheNextIfAnEngineDoesNotRunTheModel() {
        ModelFile file = TestGraphs.small(1).toModelFile();
        Picky gpu = new Picky("gpu");
        Found both = new Found(List.of(new LastResort(ModelEngines.all().get(0)), gpu), List.of());
        try (Model model = ModelEngines.load(file, ModelOptions.DEFAULT, both)) {
            assertThat(model.output().size()).isEqualTo(3);
        }
        assertThatThrownBy(() -> ModelEngines.load(file, ModelOptions.DEFAULT.withEngine("gpu"), both))
                .isInstanceOf(UnsupportedModelException.class)
                .hasMessage("it knows no Gemm");
        assertThatThrownBy(() -> ModelEngines.load(file, ModelOptions.DEFAULT, new Found(List.of(gpu), List.of())))
                .isInstanceOf(ModelException.class)
                .hasMessage("no engine can load a model in the format ONNX for the device AUTO here:"
                        + " gpu: it knows no Gemm");
    }

    @Test
    void anEngineForGpusIsAskedFirst() {
        Picky gpu = new Picky("zero", true, new ModelException("its memory is full"));
        assertThat(choose(ModelFormat.ONNX, ModelOptions.DEFAULT, ORT, ALL, gpu))
                .isSameAs(gpu);
    }

    @Test
    void thatNoGpuWorksIsSaidOnceToThoseWhoLeaveTheChoice() {
        ModelEngine gpu =
                new Engine("gpu", Set.of(ModelFormat.ONNX), Optional.of("there is no driver; install one"), true);
        try (Logged log = new Logged(ModelEngines.class.getName())) {
            choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withDevice(Device.CPU), ORT, gpu);
            choose(ModelFormat.TORCHSCRIPT, ModelOptions.DEFAULT, TORCH, gpu);
            assertThat(log.lines()).isEmpty();
            for (int i = 0; i < 2; i++) {
                assertThat(choose(ModelFormat.ONNX, ModelOptions.DEFAULT, ORT, gpu))
                        .isSameAs(ORT);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "INFO Paritas: the engine gpu is passed over, and models run on the CPU: there is no"
                                    + " driver; install one");
        }
    }

    @Test
    void wherePredictionsMayRunAnywhereAFailureOnAGpuLeavesThemToTheCpu() {
        ModelFile file = TestGraphs.small(1).toModelFile();
        ModelEngine cpu = ModelEngines.all().get(0);
        Found found =
                new Found(List.of(cpu, new Picky("gpu", true, new ModelException("its memory is full"))), List.of());
        try (Logged log = new Logged(ModelEngines.class.getName());
                Model model = ModelEngines.load(file, ModelOptions.DEFAULT, found)) {
            assertThat(model.device()).isEqualTo(Device.CPU);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN Paritas: the model runs without the engine gpu, until it is loaded again: its memory is full");
        }
        assertThatThrownBy(() -> ModelEngines.load(file, ModelOptions.DEFAULT.withDevice(Device.CUDA), found))
                .isInstanceOf(ModelException.class)
                .hasMessage("its memory is full");
        DeviceLostException loss = new DeviceLostException("it fell off the bus", null);
        Found lost = new Found(List.of(cpu, new Picky("gpu", true, loss)), List.of());
        assertThatThrownBy(() -> ModelEngines.load(file, ModelOptions.DEFAULT, lost))
                .isSameAs(loss);
    }

    @Test
    void wherePredictionsMayRunAnywhereButOnAGpuNoneIsAsked() {
        Found found = new Found(
                List.of(
                        new Picky("gpu", true, new ModelException("it was asked")),
                        ModelEngines.all().get(0)),
                List.of());
        try (Logged log = new Logged(ModelEngines.class.getName());
                Model model = ModelEngines.load(
                        TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT.withGpu(GpuChoice.NONE), found)) {
            assertThat(model.device()).isEqualTo(Device.CPU);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void anExplicitChoiceIsTakenOrFails() {
        assertThat(choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withEngine("all"), ORT, ALL))
                .isSameAs(ALL);
        assertThatThrownBy(() -> choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withEngine("asleep"), ORT, ASLEEP))
                .isInstanceOf(ModelException.class)
                .hasMessage("the engine 'asleep' was asked for, but it is night; wait; or leave the choice to 'auto'");
        assertThatThrownBy(() -> choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withEngine("libtorch"), ORT, TORCH))
                .isInstanceOf(ModelException.class)
                .hasMessage("the engine 'libtorch' was asked for, but it reads [TORCHSCRIPT], the model is ONNX;"
                        + " or leave the choice to 'auto'");
        Found found = new Found(List.of(TORCH, ORT), List.of("gone.Engine not found"));
        assertThatThrownBy(() ->
                        ModelEngines.choose(ModelFormat.ONNX, ModelOptions.DEFAULT.withEngine("onxruntime"), found))
                .isInstanceOf(ModelException.class)
                .hasMessage("the engine is one of auto, onnxruntime, libtorch; got 'onxruntime';"
                        + " engines that failed to load: [gone.Engine not found]");
    }

    /** A driver only learns what the model is: the GPU protects networks that the CPU's engine cannot. */
    @Test
    void whatAGpuProtectsIsLoadedWithoutProtectionOnTheCpu() {
        ModelFile gate = RawGraph.of(3)
                .node("Sigmoid", "open", "input")
                .node("Mul", "out", "input", "open")
                .build()
                .toModelFile();
        ModelOptions global = ModelOptions.DEFAULT.withProtection(Protection.of(Protection.Mode.GLOBAL));
        try (Model model = ModelEngines.load(gate, ModelEngines.onCpu(global.withDevice(Device.CUDA)))) {
            assertThat(model.output().size()).isEqualTo(3);
        }
        assertThatThrownBy(() -> ModelEngines.load(gate, ModelEngines.onCpu(global)))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("in a protected network, Mul 'out' must have one constant for all values");
        ModelOptions onTheProcessor = global.withDevice(Device.CUDA).withEngine("protected");
        assertThat(ModelEngines.onCpu(onTheProcessor).protection().isOn()).isTrue();
    }

    @Test
    void theClassPathHasOnnxRuntimeAndItLoads() {
        assertThat(ModelEngines.all().get(0).name()).isEqualTo("onnxruntime");
        try (Model model = ModelEngines.load(TestGraphs.small(1).toModelFile(), ModelOptions.DEFAULT)) {
            assertThat(model.output().size()).isEqualTo(3);
        }
    }
}
