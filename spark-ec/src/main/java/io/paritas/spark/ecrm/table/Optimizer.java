/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import io.paritas.PublicApi;
import java.io.Serializable;
import java.util.Locale;

/** Applies gradients to parameters, with state kept beside the parameters. Immutable. */
@PublicApi
public sealed interface Optimizer extends Serializable {
    /** Returns how many floats of state so many parameters need. */
    int state(int parameters);

    /**
     * Makes one update. The arrays are different ones, and are used from their beginning on: only such loops are
     * compiled to vector instructions.
     *
     * @param parameters changed in place
     * @param state as many floats as {@link #state} says, 0 before the first update; changed in place
     * @param gradient one float for each parameter
     */
    void step(float[] parameters, float[] state, float[] gradient);

    /**
     * Returns an optimizer by its name, with usual settings: momentum 0.9, an epsilon of 1e-8, and Adam's decays 0.9 and 0.999.
     *
     * @param name {@code sgd}, {@code momentum}, {@code adagrad} or {@code adam}
     * @param rate learning rate, above 0
     * @throws IllegalArgumentException if there is no such optimizer, or the rate is not a finite number above 0
     */
    static Optimizer of(String name, float rate) {
        if (!(rate > 0 && rate < Float.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("a learning rate must be finite and above 0, got " + rate);
        }
        return switch (name.strip().toLowerCase(Locale.ROOT)) {
            case "sgd" -> new Sgd(rate);
            case "momentum" -> new Momentum(rate, 0.9f);
            case "adagrad" -> new Adagrad(rate, 1e-8f);
            case "adam" -> new Adam(rate, 0.9f, 0.999f, 1e-8f);
            default ->
                throw new IllegalArgumentException(
                        "optimizer must be sgd, momentum, adagrad or adam, got '" + name + "'");
        };
    }

    /**
     * Stochastic gradient descent, without state.
     *
     * @param rate learning rate
     */
    record Sgd(float rate) implements Optimizer {
        @Override
        public int state(int parameters) {
            return 0;
        }

        @Override
        public void step(float[] parameters, float[] state, float[] gradient) {
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] -= rate * gradient[i];
            }
        }
    }

    /**
     * Stochastic gradient descent with momentum. The state is a velocity v for each parameter: v = momentum * v +
     * gradient.
     *
     * @param rate learning rate
     * @param momentum decay of the velocity
     */
    record Momentum(float rate, float momentum) implements Optimizer {
        @Override
        public int state(int parameters) {
            return parameters;
        }

        @Override
        public void step(float[] parameters, float[] state, float[] gradient) {
            for (int i = 0; i < parameters.length; i++) {
                float velocity = momentum * state[i] + gradient[i];
                state[i] = velocity;
                parameters[i] -= rate * velocity;
            }
        }
    }

    /**
     * Adagrad. The state is the sum of squared gradients for each parameter; one below 0, as rounding makes it where it is decoded
     * from {@link Parity#SUM}, counts as 0.
     *
     * @param rate learning rate
     * @param epsilon added to the root of the sum
     */
    record Adagrad(float rate, float epsilon) implements Optimizer {
        @Override
        public int state(int parameters) {
            return parameters;
        }

        @Override
        public void step(float[] parameters, float[] state, float[] gradient) {
            for (int i = 0; i < parameters.length; i++) {
                float squares = Math.max(0, state[i]) + gradient[i] * gradient[i];
                state[i] = squares;
                parameters[i] -= rate * gradient[i] / ((float) Math.sqrt(squares) + epsilon);
            }
        }
    }

    /**
     * Adam. The state is two moments for each parameter and one count of updates: the bias of a row is corrected by its
     * own count. A second moment below 0, as rounding makes it where it is decoded from {@link Parity#SUM}, counts as 0.
     *
     * @param rate learning rate
     * @param beta1 decay of the first moment
     * @param beta2 decay of the second moment
     * @param epsilon added to the root of the second moment
     */
    record Adam(float rate, float beta1, float beta2, float epsilon) implements Optimizer {
        @Override
        public int state(int parameters) {
            return 2 * parameters + 1;
        }

        @Override
        public void step(float[] parameters, float[] state, float[] gradient) {
            int count = parameters.length;
            float steps = state[2 * count] + 1;
            state[2 * count] = steps;
            float first = (float) (1 - StrictMath.pow(beta1, steps));
            float second = (float) (1 - StrictMath.pow(beta2, steps));
            for (int i = 0; i < count; i++) {
                float g = gradient[i];
                float mean = beta1 * state[i] + (1 - beta1) * g;
                float square = beta2 * Math.max(0, state[count + i]) + (1 - beta2) * g * g;
                state[i] = mean;
                state[count + i] = square;
                parameters[i] -= rate * (mean / first) / ((float) Math.sqrt(square / second) + epsilon);
            }
        }
    }
}
