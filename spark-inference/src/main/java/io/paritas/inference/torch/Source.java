/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Writes functions as lines of a TorchScript method, with a variable for each. Values are expressions. */
final class Source implements Functions<String> {
    private final StringBuilder lines = new StringBuilder();
    private int variables;

    /**
     * The method of a module.
     *
     * @param input its argument
     * @param output the value that it returns
     */
    String method(String input, String output) {
        return "def forward(self, " + input + ": Tensor) -> Tensor:\n" + lines + "    return " + output + "\n";
    }

    private String call(String function, Object... arguments) {
        String variable = "v" + ++variables;
        lines.append("    ")
                .append(variable)
                .append(" = torch.")
                .append(function)
                .append('(');
        lines.append(
                String.join(", ", Arrays.stream(arguments).map(Source::text).toList()));
        lines.append(")\n");
        return variable;
    }

    private static String text(Object argument) {
        if (argument instanceof long[] numbers) {
            return Arrays.toString(numbers);
        }
        if (argument instanceof Boolean truth) {
            return truth ? "True" : "False";
        }
        if (argument instanceof Double number && number.isInfinite()) {
            return "float('" + (number > 0 ? "inf" : "-inf") + "')";
        }
        return argument == null ? "None" : argument.toString();
    }

    @Override
    public String sum(String left, String right) {
        return call("add", left, right);
    }

    @Override
    public String difference(String left, String right) {
        return call("sub", left, right);
    }

    @Override
    public String product(String left, String right) {
        return call("mul", left, right);
    }

    @Override
    public String quotient(String left, String right) {
        return call("div", left, right);
    }

    @Override
    public String matrixProduct(String left, String right) {
        return call("matmul", left, right);
    }

    @Override
    public String linear(String rows, String matrix, String bias) {
        return call("linear", rows, matrix, bias);
    }

    @Override
    public String convolution(
            String image, String kernel, String bias, long[] strides, long[] padding, long[] dilations, long groups) {
        return call("conv2d", image, kernel, bias, strides, padding, dilations, groups);
    }

    @Override
    public String batchNorm(
            String rows, String scale, String shift, String mean, String variance, double momentum, double epsilon) {
        return call("batch_norm", rows, scale, shift, mean, variance, "self.training", momentum, epsilon, false);
    }

    @Override
    public String maxPool(
            String image, long[] kernel, long[] strides, long[] padding, long[] dilations, Rounding rounding) {
        return call("max_pool2d", image, kernel, strides, padding, dilations, rounding == Rounding.UP);
    }

    @Override
    public String averagePool(
            String image, long[] kernel, long[] strides, long[] padding, Rounding rounding, Padding counting) {
        return call(
                "avg_pool2d",
                image,
                kernel,
                strides,
                padding,
                rounding == Rounding.UP,
                counting == Padding.COUNTED,
                null);
    }

    @Override
    public String relu(String of) {
        return call("relu", of);
    }

    @Override
    public String leakyRelu(String of, double slope) {
        return call("leaky_relu", of, slope);
    }

    @Override
    public String sigmoid(String of) {
        return call("sigmoid", of);
    }

    @Override
    public String tanh(String of) {
        return call("tanh", of);
    }

    @Override
    public String softmax(String of, long dimension) {
        return call("softmax", of, dimension);
    }

    @Override
    public String clip(String of, double low, double high) {
        return call("clamp", of, low, high);
    }

    @Override
    public String dropout(String of, double probability) {
        return call("dropout", of, probability, "self.training");
    }

    @Override
    public String mean(String of, long[] dimensions, Reduced reduced) {
        return call("mean", of, dimensions, reduced == Reduced.KEPT);
    }

    @Override
    public String pad(String of, double value, long... widths) {
        return call("constant_pad_nd", of, widths, value);
    }

    @Override
    public String reshape(String of, long... shape) {
        List<String> sizes = IntStream.range(0, shape.length)
                .mapToObj(i -> shape[i] == 0 ? "torch.size(" + of + ", " + i + ")" : String.valueOf(shape[i]))
                .toList();
        return call("reshape", of, sizes);
    }

    @Override
    public String concat(List<String> parts, long dimension) {
        return call("cat", parts, dimension);
    }

    @Override
    public String copy(String of) {
        return of;
    }
}
