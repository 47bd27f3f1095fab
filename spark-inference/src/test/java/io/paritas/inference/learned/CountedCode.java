/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Graph;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A learned code with networks that nobody trained, which counts how often each is run. */
public final class CountedCode implements GroupCode, AutoCloseable {
    private static final long serialVersionUID = 1;

    private final CodePlan plan;
    private final transient Map<String, Counted> networks;

    /** Networks for queries of that shape and predictions of so many values. */
    public CountedCode(CodePlan plan, List<Integer> shape, int classes) {
        this.plan = plan;
        this.networks = Map.of(
                LearnedCode.ENCODER, new Counted(plan.encoderNetwork(shape)),
                LearnedCode.DECODER, new Counted(plan.decoderNetwork(classes)));
    }

    /** How often the encoder was run. */
    public int encoded() {
        return networks.get(LearnedCode.ENCODER).runs.get();
    }

    /** How often the decoder was run. */
    public int decoded() {
        return networks.get(LearnedCode.DECODER).runs.get();
    }

    @Override
    public int k() {
        return plan.k();
    }

    @Override
    public int r() {
        return plan.r();
    }

    @Override
    public List<String> networks() {
        return plan.networks();
    }

    @Override
    public void require(List<Integer> shape) {
        plan.require(shape);
    }

    @Override
    public GroupEncoder encoder(List<Integer> shape, Function<String, Model> unused) {
        return plan.encoder(shape, networks::get);
    }

    @Override
    public GroupDecoder decoder(Function<String, Model> unused) {
        return plan.decoder(networks::get);
    }

    @Override
    public void close() {
        networks.values().forEach(Model::close);
    }

    private static final class Counted implements Model {
        private final Model model;
        private final AtomicInteger runs = new AtomicInteger();

        Counted(Graph network) {
            this.model =
                    ModelEngines.load(Initialisation.PYTORCH.apply(network, 1).toModelFile(), ModelOptions.DEFAULT);
        }

        @Override
        public TensorSpec input() {
            return model.input();
        }

        @Override
        public TensorSpec output() {
            return model.output();
        }

        @Override
        public Device device() {
            return model.device();
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            runs.incrementAndGet();
            model.predict(rows, inputs, outputs);
        }

        @Override
        public void close() {
            model.close();
        }
    }
}
