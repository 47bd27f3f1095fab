/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One parameter w with the loss w², whose gradient is 2w, against the published formulas. */
class OptimizerTest {
    private static final double START = 3;
    private static final double RATE = 0.1;
    private static final double DECAY = 0.01;

    @BeforeAll
    static void start() {
        LibTorch.start(Device.CPU, 1);
    }

    private interface Maker {
        Optimizer of(List<Tensor> parameters);
    }

    /** The parameter after each of two steps, the second at another rate. */
    private static double[] steps(Maker maker, double secondRate) {
        try (Scope scope = Scope.open()) {
            Tensor parameter = parameter((float) START);
            try (Optimizer optimizer = maker.of(List.of(parameter))) {
                double[] after = new double[2];
                for (int i = 0; i < 2; i++) {
                    try (Scope step = Scope.open()) {
                        optimizer.step(parameter.times(parameter).sum());
                    }
                    after[i] = parameter.value();
                    optimizer.learningRate(secondRate);
                }
                return after;
            }
        }
    }

    @Test
    void adamTakesTheStepsOfItsFormula() {
        double w = START;
        double m = 0;
        double v = 0;
        double[] expected = new double[2];
        for (int t = 1; t <= 2; t++) {
            double g = 2 * w + DECAY * w;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            w -= RATE * (m / (1 - Math.pow(0.9, t))) / (Math.sqrt(v / (1 - Math.pow(0.999, t))) + 1e-8);
            expected[t - 1] = w;
        }
        assertThat(steps(parameters -> Optimizer.adam(parameters, RATE, DECAY), RATE))
                .containsExactly(expected, within(1e-6));
    }

    @Test
    void rmsPropTakesTheStepsOfItsFormula() {
        double w = START;
        double v = 0;
        double[] expected = new double[2];
        for (int t = 0; t < 2; t++) {
            double g = 2 * w + DECAY * w;
            v = 0.99 * v + 0.01 * g * g;
            w -= (t == 0 ? RATE : RATE / 10) * g / (Math.sqrt(v) + 1e-8);
            expected[t] = w;
        }
        assertThat(steps(parameters -> Optimizer.rmsProp(parameters, RATE, DECAY), RATE / 10))
                .containsExactly(expected, within(1e-6));
    }

    @Test
    void aRateOfZeroMovesNothing() {
        double[] after = steps(parameters -> Optimizer.adam(parameters, RATE, 0), 0);
        assertThat(after[0]).isCloseTo(START - RATE, within(1e-6));
        assertThat(after[1]).isEqualTo(after[0]);
    }

    @Test
    void anOptimizerOutlivesTheScopeInWhichItWasMade() {
        Tensor parameter;
        Optimizer optimizer;
        try (Scope scope = Scope.open()) {
            parameter = Scope.keep(Tensor.of(Device.CPU, new float[] {1}, 1));
            parameter.raw().requires_grad_(true);
            optimizer = Optimizer.adam(List.of(parameter), RATE, 0);
        }
        try (Scope scope = Scope.open()) {
            optimizer.step(parameter.times(parameter).sum());
            assertThat((double) parameter.value()).isCloseTo(1 - RATE, within(1e-6));
        }
        optimizer.close();
        parameter.close();
    }

    @ParameterizedTest
    @EnumSource
    void goesOnFromItsState(Kind kind) {
        try (Scope scope = Scope.open()) {
            Tensor parameter = parameter(1, -2);
            Tensor resumed = parameter(1, -2);
            try (Optimizer whole = kind.of(parameter);
                    Optimizer first = kind.of(resumed);
                    Optimizer second = kind.of(resumed)) {
                for (int i = 0; i < 5; i++) {
                    if (i == 2) {
                        second.restore(first.state());
                    }
                    whole.step(parameter.times(parameter).sum());
                    (i < 2 ? first : second).step(resumed.times(resumed).sum());
                }
            }
            assertThat(resumed.values()).isEqualTo(parameter.values());
        }
    }

    /** LibTorch has room for ten programs that take what it writes. */
    @Test
    void statesCanBeTakenAgainAndAgain() {
        try (Scope scope = Scope.open();
                Optimizer optimizer = Kind.ADAM.of(parameter(1, -2))) {
            byte[] first = optimizer.state();
            assertThat(first).isNotEmpty();
            for (int i = 0; i < 30; i++) {
                assertThat(optimizer.state()).isEqualTo(first);
            }
        }
    }

    /** Nor is it part of the loss, but an optimizer has averages of it all the same. */
    @Test
    void aParameterMayHaveNoElements() {
        try (Scope scope = Scope.open()) {
            Tensor parameter = parameter(1, -2);
            Tensor empty = Tensor.of(Device.CPU, new float[0], 0).withGradient();
            try (Optimizer first = Optimizer.adam(List.of(parameter, empty), RATE, DECAY);
                    Optimizer second = Optimizer.adam(List.of(parameter, empty), RATE, DECAY)) {
                first.step(parameter.times(parameter).sum());
                byte[] state = first.state();
                second.restore(state);
                assertThat(second.state()).isEqualTo(state);
            }
        }
    }

    @Test
    void theStateOfAnotherKindIsRefused() {
        try (Scope scope = Scope.open()) {
            Tensor parameter = parameter(1);
            try (Optimizer adam = Kind.ADAM.of(parameter);
                    Optimizer rmsProp = Kind.RMSPROP.of(parameter)) {
                adam.step(parameter.times(parameter).sum());
                rmsProp.step(parameter.times(parameter).sum());
                assertThatThrownBy(() -> adam.restore(rmsProp.state()))
                        .isInstanceOf(ModelException.class)
                        .hasMessageContaining("an optimizer goes on from a state of its own kind");
            }
        }
    }

    @Test
    void aParameterWithoutGradientStays() {
        try (Scope scope = Scope.open()) {
            Tensor used = parameter(1);
            Tensor unused = parameter(5);
            try (Optimizer optimizer = Optimizer.adam(List.of(used, unused), RATE, DECAY)) {
                optimizer.step(used.times(used).sum());
            }
            assertThat((double) used.value()).isCloseTo(1 - RATE, within(1e-6));
            assertThat(unused.value()).isEqualTo(5);
        }
    }

    private enum Kind {
        ADAM,
        RMSPROP;

        Optimizer of(Tensor parameter) {
            return this == ADAM
                    ? Optimizer.adam(List.of(parameter), RATE, DECAY)
                    : Optimizer.rmsProp(List.of(parameter), RATE, DECAY);
        }
    }

    private static Tensor parameter(float... values) {
        return Tensor.of(Device.CPU, values, values.length).withGradient();
    }
}
