/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

import java.io.Serializable;

/** How a gradient changes parameters, and what is remembered of it between updates. Immutable. */
public sealed interface Optimizer extends Serializable {
    /** Floats of state for so many parameters. */
    int state(int parameters);

    /**
     * One update.
     *
     * @param row the parameters, then their state; changed
     * @param parameters how many
     * @param gradient of the parameters, from an index on
     */
    void step(float[] row, int parameters, float[] gradient, int from);

    /** Stochastic gradient descent; no state. */
    record Sgd(float rate) implements Optimizer {
        @Override
        public int state(int parameters) {
            return 0;
        }

        @Override
        public void step(float[] row, int parameters, float[] gradient, int from) {
            for (int i = 0; i < parameters; i++) {
                row[i] -= rate * gradient[from + i];
            }
        }
    }

    /** With a velocity for each parameter: v = momentum * v + gradient. */
    record Momentum(float rate, float momentum) implements Optimizer {
        @Override
        public int state(int parameters) {
            return parameters;
        }

        @Override
        public void step(float[] row, int parameters, float[] gradient, int from) {
            for (int i = 0; i < parameters; i++) {
                float velocity = momentum * row[parameters + i] + gradient[from + i];
                row[parameters + i] = velocity;
                row[i] -= rate * velocity;
            }
        }
    }

    /** With the sum of squares for each parameter. */
    record Adagrad(float rate, float epsilon) implements Optimizer {
        @Override
        public int state(int parameters) {
            return parameters;
        }

        @Override
        public void step(float[] row, int parameters, float[] gradient, int from) {
            for (int i = 0; i < parameters; i++) {
                float g = gradient[from + i];
                float squares = row[parameters + i] + g * g;
                row[parameters + i] = squares;
                row[i] -= rate * g / ((float) Math.sqrt(squares) + epsilon);
            }
        }
    }

    /** With two moments for each parameter, and one count of the updates: a row is corrected by its own. */
    record Adam(float rate, float beta1, float beta2, float epsilon) implements Optimizer {
        @Override
        public int state(int parameters) {
            return 2 * parameters + 1;
        }

        @Override
        public void step(float[] row, int parameters, float[] gradient, int from) {
            float steps = row[3 * parameters] + 1;
            row[3 * parameters] = steps;
            float first = (float) (1 - StrictMath.pow(beta1, steps));
            float second = (float) (1 - StrictMath.pow(beta2, steps));
            for (int i = 0; i < parameters; i++) {
                float g = gradient[from + i];
                float mean = beta1 * row[parameters + i] + (1 - beta1) * g;
                float square = beta2 * row[2 * parameters + i] + (1 - beta2) * g * g;
                row[parameters + i] = mean;
                row[2 * parameters + i] = square;
                row[i] -= rate * (mean / first) / ((float) Math.sqrt(square / second) + epsilon);
            }
        }
    }
}
