/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Device;
import io.paritas.inference.Model;
import io.paritas.inference.ModelException;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.learned.CodePlan;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * A learned code, k = 2 and r = 1, for images of one pixel and predictions of one value. There is no memory to load its networks, or to
 * run them.
 */
record FailingCode(boolean loads) implements GroupCode {
    private static final long serialVersionUID = 1;
    private static final CodePlan PLAN =
            new CodePlan(2, 1, CodePlan.EncoderKind.MLP, CodePlan.Loss.MSE_BASE, CodePlan.ChannelMix.SEPARATE);

    @Override
    public int k() {
        return PLAN.k();
    }

    @Override
    public int r() {
        return PLAN.r();
    }

    @Override
    public List<String> networks() {
        return PLAN.networks();
    }

    @Override
    public void require(List<Integer> shape) {
        PLAN.require(shape);
    }

    @Override
    public GroupEncoder encoder(List<Integer> shape, Function<String, Model> unused) {
        return PLAN.encoder(shape, role -> network(role, 2, 1));
    }

    @Override
    public GroupDecoder decoder(Function<String, Model> unused) {
        return PLAN.decoder(role -> network(role, 3, 2));
    }

    private Model network(String role, int inputs, int outputs) {
        if (!loads) {
            throw new ModelException("no memory to load the " + role);
        }
        return new Network(role, new TensorSpec("input", List.of(inputs)), new TensorSpec("output", List.of(outputs)));
    }

    private record Network(String role, TensorSpec input, TensorSpec output) implements Model {
        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public void predict(int rows, FloatBuffer inputs, FloatBuffer outputs) {
            throw new ModelException("no memory to run the " + role);
        }

        @Override
        public void close() {}
    }
}
