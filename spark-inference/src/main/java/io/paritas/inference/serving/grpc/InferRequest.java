/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import com.google.protobuf.ByteString;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.grpc.messages.InferParameter;
import io.paritas.inference.serving.grpc.messages.ModelInferRequest;
import io.paritas.inference.serving.protocol.Classification;
import io.paritas.inference.serving.protocol.InputTensor;
import io.paritas.inference.serving.protocol.OutputTensor;
import io.paritas.inference.serving.protocol.Timeout;
import io.paritas.inference.serving.protocol.WantedOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A request as a front end takes it.
 *
 * @param id that the reply repeats; empty if there is none
 * @param rows the queries
 * @param deadline zero if the request gives none
 * @param outputs the wanted outputs, each once
 * @param raw whether values are bytes, in the reply as in the request
 */
record InferRequest(String id, List<float[]> rows, Duration deadline, List<WantedOutput> outputs, boolean raw) {

    /** @throws IllegalArgumentException if the request is malformed or does not fit the model */
    static InferRequest read(ServedModel model, ModelInferRequest request) {
        if (request.getInputsCount() != 1) {
            throw new IllegalArgumentException("a request for the model " + model + " must have the one input '"
                    + model.input().name() + "', got " + request.getInputsCount());
        }
        var input = request.getInputs(0);
        InputTensor tensor =
                InputTensor.of(model, input.getName(), input.getDatatype(), input.getShapeList(), input.getShapeList());
        InputTensor.requireKnown(input.getName(), input.getParametersMap().keySet());
        boolean raw = request.getRawInputContentsCount() > 0;
        return new InferRequest(
                request.getId(),
                raw ? fromBytes(tensor, request) : InputContents.read(tensor, input.getContents()),
                deadline(request.getParametersMap()),
                outputs(model, request),
                raw);
    }

    private static List<float[]> fromBytes(InputTensor tensor, ModelInferRequest request) {
        String name = tensor.spec().name();
        ByteString values = request.getRawInputContents(0);
        if (request.getRawInputContentsCount() != 1 || request.getInputs(0).hasContents()) {
            throw new IllegalArgumentException("the values of the input '" + name
                    + "' must be in raw_input_contents or in its contents, once, got "
                    + request.getRawInputContentsCount() + " raw_input_contents"
                    + (request.getInputs(0).hasContents() ? " and contents" : ""));
        }
        if (values.size() != tensor.bytes()) {
            throw new IllegalArgumentException("the input '" + name + "' of " + tensor.rows() + " rows must have "
                    + tensor.bytes() + " bytes in raw_input_contents, got " + values.size());
        }
        return tensor.read(values.asReadOnlyByteBuffer());
    }

    private static Duration deadline(Map<String, InferParameter> parameters) {
        InferParameter timeout = parameters.get(Timeout.NAME);
        return timeout == null ? Duration.ZERO : Timeout.of(whole(timeout), given(timeout));
    }

    private static List<WantedOutput> outputs(ServedModel model, ModelInferRequest request) {
        boolean raw = request.getRawInputContentsCount() > 0;
        if (request.getOutputsCount() == 0) {
            return List.of(WantedOutput.values(model, raw));
        }
        List<WantedOutput> outputs = new ArrayList<>();
        Set<String> named = new HashSet<>();
        request.getOutputsList().forEach(output -> {
            OutputTensor.require(
                    model, output.getName(), output.getParametersMap().keySet(), named);
            outputs.add(new WantedOutput(output.getName(), raw, classes(model, output)));
        });
        return outputs;
    }

    private static int classes(ServedModel model, ModelInferRequest.InferRequestedOutputTensor output) {
        InferParameter classes = output.getParametersMap().get(InputTensor.CLASSIFICATION);
        if (classes == null || output.getName().equals(OutputTensor.OUTCOME)) {
            return 0;
        }
        return Classification.count(
                whole(classes), given(classes), model.output().size());
    }

    /* 0 if it is no whole number, and negative from 2^63 on: neither is a deadline or a number of classes. */
    private static long whole(InferParameter parameter) {
        return parameter.hasUint64Param() ? parameter.getUint64Param() : parameter.getInt64Param();
    }

    private static Object given(InferParameter parameter) {
        return switch (parameter.getParameterChoiceCase()) {
            case INT64_PARAM -> parameter.getInt64Param();
            case UINT64_PARAM -> Long.toUnsignedString(parameter.getUint64Param());
            default -> parameter.getParameterChoiceCase();
        };
    }
}
