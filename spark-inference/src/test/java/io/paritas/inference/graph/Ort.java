/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import com.google.protobuf.InvalidProtocolBufferException;
import io.paritas.inference.ModelFile;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs graphs in ONNX Runtime, to check what we say of them. */
public final class Ort {

    private Ort() {}

    /** The outputs of a batch. */
    public static float[] run(Graph graph, float[] inputs, int rows) {
        return run(graph.toModelFile(), graph, inputs, rows);
    }

    /** The outputs of a batch, of the file that a graph was read from. */
    static float[] run(ModelFile file, Graph graph, float[] inputs, int rows) {
        return run(file.bytes(), graph, inputs, rows, (session, result) -> {
            FloatBuffer values = ((OnnxTensor) result.get(0)).getFloatBuffer();
            float[] outputs = new float[values.remaining()];
            values.get(outputs);
            return outputs;
        });
    }

    /** Runs zeros, and compares the shape of every value with the one that the graph tells. */
    public static void checkShapes(Graph graph, int rows) {
        float[] inputs = new float[rows * graph.input().size()];
        run(withAllOutputs(graph), graph, inputs, rows, (session, result) -> {
            Map<String, List<Integer>> shapes = graph.shapes();
            assertThat(result.size()).isEqualTo(graph.nodes().size());
            for (Map.Entry<String, OnnxValue> value : result) {
                List<Long> shape = new ArrayList<>(List.of((long) rows));
                shapes.get(value.getKey()).forEach(size -> shape.add((long) size));
                assertThat(((OnnxTensor) value.getValue()).getInfo().getShape())
                        .as(value.getKey())
                        .containsExactly(shape.toArray(Long[]::new));
            }
            return null;
        });
    }

    private interface Reader<T> {
        T read(OrtSession session, OrtSession.Result result) throws OrtException;
    }

    private static <T> T run(byte[] model, Graph graph, float[] inputs, int rows, Reader<T> reader) {
        List<Integer> shape = graph.input().shape();
        long[] sizes = new long[shape.size() + 1];
        sizes[0] = rows;
        for (int i = 0; i < shape.size(); i++) {
            sizes[i + 1] = shape.get(i);
        }
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            /* It warns where its own shape inference is wrong about pools that round up. */
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            try (OrtSession session = environment.createSession(model, options);
                    OnnxTensor input = OnnxTensor.createTensor(environment, FloatBuffer.wrap(inputs), sizes);
                    OrtSession.Result result = session.run(Map.of(graph.input().name(), input))) {
                return reader.read(session, result);
            }
        } catch (OrtException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static byte[] withAllOutputs(Graph graph) {
        try {
            ModelProto.Builder model = ModelProto.parseFrom(graph.toModelFile().bytes()).toBuilder();
            model.getGraphBuilder().clearOutput();
            for (Node node : graph.nodes()) {
                model.getGraphBuilder().addOutput(ValueInfoProto.newBuilder().setName(node.output()));
            }
            return model.build().toByteArray();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }
}
