/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Generators;
import io.paritas.erasure.Stripes;
import io.paritas.erasure.kernel.KernelChoice;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Raw coders of codec {@code rs} beside each other: Hadoop's {@code rs_java}, and ours on each CPU kernel. One thread,
 * heap arrays; the counter {@code dataBytes} is bytes of <i>data</i> (k units) per second, whatever is computed.
 *
 * <pre>
 * ./mvnw -q -pl hdfs-codec test-compile dependency:build-classpath -Dmdep.outputFile=target/test.classpath
 * java -cp hdfs-codec/target/test-classes:hdfs-codec/target/classes:$(cat hdfs-codec/target/test.classpath) \
 *     org.openjdk.jmh.Main RawCoderBenchmark
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-modules=jdk.incubator.vector", "-Dio.paritas.kernel.warmUp=0"})
@Warmup(iterations = 3, time = 1) // C2 compiles the kernels within the first second
@Measurement(iterations = 3, time = 1)
public class RawCoderBenchmark {
    /** The implementations. */
    public enum Coder {
        RS_JAVA,
        PLAIN,
        VECTOR
    }

    @Param
    Coder coder;

    @Param({"3-2", "6-3", "10-4"})
    String code;

    @Param({"65536", "1048576"})
    int unitLength;

    private RawErasureEncoder encoder;
    private RawErasureDecoder decoder;
    private byte[][] units;
    private byte[][] data;
    private byte[][] parity;
    private byte[][] outputs;

    /** Bytes of data that the operations stood for. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Bytes {
        public long dataBytes;
    }

    @Setup
    public void prepare() throws IOException {
        int dash = code.indexOf('-');
        CodeParameters parameters = new CodeParameters(
                Integer.parseInt(code.substring(0, dash)), Integer.parseInt(code.substring(dash + 1)));
        ErasureCoderOptions options = new ErasureCoderOptions(parameters.k(), parameters.r());
        if (coder == Coder.RS_JAVA) {
            encoder = new RSRawErasureCoderFactory().createEncoder(options);
            decoder = new RSRawErasureCoderFactory().createDecoder(options);
        } else {
            ErasureCode ours = ErasureCode.of(
                    Generators.hdfsCauchy(parameters),
                    KernelChoice.named(coder == Coder.PLAIN ? "plain" : "vector")
                            .provider());
            encoder = ParitasCoders.encoder(options, ours, false);
            decoder = ParitasCoders.decoder(options, ours, false);
        }
        units = Stripes.units(parameters.n(), unitLength, Stripes.random("benchmark"));
        data = Arrays.copyOf(units, parameters.k());
        parity = Arrays.copyOfRange(units, parameters.k(), parameters.n());
        outputs = new byte[parameters.r()][unitLength];
        encoder.encode(data, parity);
    }

    @Benchmark
    public void encode(Bytes bytes) throws IOException {
        encoder.encode(data, parity);
        bytes.dataBytes += (long) data.length * unitLength;
    }

    @Benchmark
    public byte[] decodeOneDataUnit(Bytes bytes) throws IOException {
        return decode(bytes, 1);
    }

    @Benchmark
    public byte[] decodeAsManyDataUnitsAsParityUnits(Bytes bytes) throws IOException {
        return decode(bytes, parity.length);
    }

    private byte[] decode(Bytes bytes, int erased) throws IOException {
        byte[][] inputs = units.clone();
        Arrays.fill(inputs, 0, erased, null);
        decoder.decode(inputs, IntStream.range(0, erased).toArray(), Arrays.copyOf(outputs, erased));
        bytes.dataBytes += (long) data.length * unitLength;
        return outputs[0];
    }

    /** Whether the last decode gave the data back. */
    boolean decoded(int erased) {
        return Arrays.deepEquals(Arrays.copyOf(outputs, erased), Arrays.copyOf(data, erased));
    }
}
