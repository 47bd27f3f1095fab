/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.onnx;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import ai.onnxruntime.TensorInfo;
import io.paritas.inference.CheckedModel;
import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.SpareBuffers;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.graph.Precautions;
import java.nio.FloatBuffer;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** A session of ONNX Runtime. It reads and writes the caller's buffers in place. */
final class OnnxModel extends CheckedModel {
    /** The highest level without layouts of blocked channels. */
    private static final OptLevel UNBLOCKED = OptLevel.EXTENDED_OPT;

    private final OrtSession session;
    private final Signature signature;
    /* For fewer rows than the model's batch. */
    private final SpareBuffers inputBuffers = new SpareBuffers();
    private final SpareBuffers outputBuffers = new SpareBuffers();

    private OnnxModel(OrtSession session, Signature signature, Device device) {
        super(OnnxRuntimeEngine.NAME, signature.input(), signature.output(), device);
        this.session = session;
        this.signature = signature;
    }

    /**
     * Loads and tries a model on the CPU or on CUDA.
     *
     * @throws ModelException if it cannot be loaded or run, is in training mode or has images that become empty, or does not have one
     *     float32 input and one float32 output; or if this JVM ends
     */
    static OnnxModel load(ModelFile file, ModelOptions options) {
        Library.requireLife();
        byte[] bytes = file.bytes();
        Precautions precautions = Precautions.of(bytes);
        if (!precautions.unknown().isEmpty()) {
            try (OnnxModel trial = open(file, precautions.withUnknown(), options, UNBLOCKED, precautions.added())) {
                trial.tryPools(precautions);
            }
        }
        OptLevel level = precautions.hasHiddenPools() ? UNBLOCKED : OptLevel.ALL_OPT;
        OnnxModel model = open(file, bytes, options, level, Set.of());
        try {
            model.tryOnZeros();
            return model;
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    /** @param passed outputs that are no predictions */
    private static OnnxModel open(
            ModelFile file, byte[] bytes, ModelOptions options, OptLevel level, Set<String> passed) {
        OrtSession session = session(file, bytes, options, level);
        try {
            return new OnnxModel(session, Signature.of(session, passed), options.device());
        } catch (RuntimeException | Error e) {
            close(session);
            throw e;
        }
    }

    private static OrtSession session(ModelFile file, byte[] bytes, ModelOptions wanted, OptLevel level) {
        boolean cuda = wanted.device() == Device.CUDA;
        try (SessionOptions options = new SessionOptions()) {
            // They spin: more than there are processors, such as a thousand by mistake, hold up the machine.
            options.setIntraOpNumThreads(
                    Math.min(wanted.threads(), Runtime.getRuntime().availableProcessors()));
            options.setInterOpNumThreads(1);
            options.setOptimizationLevel(level);
            /* Errors need no log: they are exceptions with the same text. */
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
            if (cuda) {
                options.addCUDA(wanted.gpu().orFirst());
            }
            return Library.environment().createSession(bytes, options);
        } catch (OrtException e) {
            Library.requireLife();
            throw new ModelException(
                    "onnxruntime cannot load the model of " + file.size() + " bytes with the hash " + file.sha256()
                            + " on the device " + wanted.device()
                            + (cuda ? " " + wanted.gpu().orFirst() : "")
                            + ", it is damaged or asks for what this version does not know: " + e.getMessage(),
                    e);
        }
    }

    /** Runs the smallest batch, so that loading fails for a model with other shapes than it declares. */
    private void tryOnZeros() {
        int rows = Math.max(1, signature.batch());
        predict(rows, zeros(rows, input()), zeros(rows, output()));
    }

    /** Runs the smallest batch up to the pools whose images are not known. */
    private void tryPools(Precautions precautions) {
        int rows = Math.max(1, signature.batch());
        try (OnnxTensor in =
                        OnnxTensor.createTensor(Library.environment(), zeros(rows, input()), shape(rows, input()));
                OrtSession.Result result = session.run(Map.of(input().name(), in), precautions.unknown())) {
            for (Map.Entry<String, OnnxValue> pool : result) {
                precautions.requireImage(
                        pool.getKey(), ((TensorInfo) pool.getValue().getInfo()).getShape());
            }
        } catch (OrtException e) {
            throw failure(rows, e);
        }
    }

    @Override
    protected void compute(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        int batch = signature.batch();
        if (batch == Signature.ANY || batch == rows) {
            run(rows, inputs, outputs);
            return;
        }
        int full = rows - rows % batch;
        for (int row = 0; row < full; row += batch) {
            run(batch, part(inputs, row, batch, input().size()), part(outputs, row, batch, output().size()));
        }
        if (full < rows) {
            padded(part(inputs, full, rows - full, input().size()), part(outputs, full, rows - full, output().size()));
        }
    }

    /** Predicts fewer rows than the model's batch: fills it with zeros, and drops their outputs. */
    private void padded(FloatBuffer inputs, FloatBuffer outputs) {
        int batch = signature.batch();
        FloatBuffer in = room(inputBuffers, batch, input());
        FloatBuffer out = room(outputBuffers, batch, output());
        in.put(inputs);
        while (in.hasRemaining()) {
            in.put(0);
        }
        run(batch, in.flip(), out);
        outputs.put(out.slice(0, outputs.remaining()));
        inputBuffers.giveBack(in);
        outputBuffers.giveBack(out);
    }

    private static FloatBuffer zeros(int rows, TensorSpec spec) {
        return room(new SpareBuffers(), rows, spec); // new memory has zeros
    }

    private static FloatBuffer room(SpareBuffers buffers, int rows, TensorSpec spec) {
        try {
            return buffers.take(Math.multiplyExact(rows, spec.size()));
        } catch (ArithmeticException | OutOfMemoryError e) {
            // Off-heap memory is short; the heap is sound. As a cause, the error would have Spark end the executor.
            throw new ModelException("there must be room beside the heap for " + rows + " rows of " + spec
                    + ", as many as the model wants at once, and there is none (" + e.getMessage()
                    + "): export it for smaller batches, or give the process more memory (spark.executor.memory)");
        }
    }

    private static long[] shape(int rows, TensorSpec spec) {
        return LongStream.concat(LongStream.of(rows), spec.shape().stream().mapToLong(Integer::longValue))
                .toArray();
    }

    private static FloatBuffer part(FloatBuffer buffer, int row, int rows, int size) {
        return buffer.slice(row * size, rows * size);
    }

    private void run(int rows, FloatBuffer inputs, FloatBuffer outputs) {
        OrtEnvironment environment = Library.environment();
        try (OnnxTensor in = OnnxTensor.createTensor(environment, inputs, shape(rows, input()));
                OnnxTensor out = OnnxTensor.createTensor(environment, outputs, shape(rows, output()));
                OrtSession.Result result = session.run(Map.of(input().name(), in), Map.of(output().name(), out))) {
            assert result.size() == 1 : "the output was given, and nothing else was asked for";
        } catch (OrtException e) {
            throw failure(rows, e);
        }
    }

    private ModelException failure(int rows, OrtException e) {
        return new ModelException(
                "onnxruntime cannot predict " + rows + " rows of " + input() + " into " + output() + " on the device "
                        + device() + ": " + e.getMessage(),
                e);
    }

    @Override
    protected void free() {
        close(session);
    }

    private static void close(OrtSession session) {
        try {
            session.close();
        } catch (OrtException e) {
            throw new ModelException("onnxruntime cannot free a model: " + e.getMessage(), e);
        }
    }
}
