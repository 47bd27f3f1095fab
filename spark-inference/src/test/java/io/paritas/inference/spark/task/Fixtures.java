/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.Protection;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.parity.Target;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import io.paritas.inference.spark.input.InputFormat;
import io.paritas.inference.spark.input.RowReader;
import io.paritas.inference.spark.settings.BinaryContent;
import io.paritas.inference.spark.settings.ChannelOrder;
import io.paritas.inference.spark.settings.EngineSpec;
import io.paritas.inference.spark.settings.ImageLayout;
import io.paritas.inference.spark.settings.OnError;
import io.paritas.inference.spark.settings.SentModel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;

/** Rows (id long, x binary), what codes them, and what tasks have of Spark. */
final class Fixtures {
    private Fixtures() {}

    static SparkContext spark() {
        return LocalSpark.session().sparkContext();
    }

    /** A task with as much memory as it wants. */
    static TaskContextImpl task() {
        return task(1L << 30);
    }

    /** A task with so many bytes of memory. */
    static TaskContextImpl task(long memory) {
        return new TaskContextImpl(
                0,
                0,
                0,
                1,
                0,
                0,
                new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(), memory, 0, 1), 1),
                new Properties(),
                null,
                TaskMetrics.empty(),
                1,
                scala.collection.immutable.Map$.MODULE$.empty());
    }

    static ModelSource source(ModelFile file) {
        return new ModelSource(
                "model.onnx",
                SentModel.of(file, spark()),
                1,
                new EngineSpec("onnxruntime", Device.CPU, 1, List.of(), Protection.OFF),
                Double.POSITIVE_INFINITY);
    }

    static RowReader reader(BinaryContent type, List<Integer> shape, float scale, List<Float> mean, List<Float> std) {
        InputFormat format = new InputFormat(type, ImageLayout.NCHW, ChannelOrder.RGB, scale, mean, std);
        return RowReader.of(new TensorSpec("input", shape), format, List.of("x"), List.of(DataTypes.BinaryType));
    }

    /** Bytes as they are. */
    static RowReader bytes(int size) {
        return reader(BinaryContent.UINT8, List.of(size), 1, List.of(0f), List.of(1f));
    }

    static RowPlan plan(RowReader reader, int batchRows, OnError onError) {
        BoundReference id = new BoundReference(0, DataTypes.LongType, false);
        return new RowPlan(
                reader.at(1),
                Attributes.seq(List.of(id)),
                DataTypes.NullType,
                1,
                new BatchLimit(batchRows, Long.MAX_VALUE),
                onError);
    }

    static CodingSpec coding(int k, int r, Encoding encoding, List<Integer> shape, Layout layout) {
        return coding(new ParityPlan(new Combinations(k, r), encoding, Target.OUTPUTS), shape, layout);
    }

    static CodingSpec coding(GroupCode code, List<Integer> shape, Layout layout) {
        return coding(code, shape, InputRange.FINITE, layout);
    }

    static CodingSpec coding(GroupCode code, List<Integer> shape, InputRange range, Layout layout) {
        return new CodingSpec(
                code,
                shape,
                range,
                List.of(),
                Map.of(),
                layout,
                new LatePolicy(1.25, Duration.ZERO),
                ResidualBound.NONE);
    }

    static InternalRow row(long id, byte... input) {
        return new GenericInternalRow(new Object[] {id, input});
    }

    static ByteBuffer floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return bytes;
    }
}
