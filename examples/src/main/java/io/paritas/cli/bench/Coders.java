/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Generators;
import io.paritas.erasure.LrcParameters;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.kernel.KernelChoice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The coders that bench knows. A new one is a new line of {@link #ALL}, or of strips in {@link StripCoders}. */
final class Coders {
    static final String RS_JAVA = "rs_java";
    static final String ISAL = "isa-l";

    private static final Supplier<Optional<String>> HERE = Optional::empty;
    private static final BiPredicate<CodeParameters, Operation> ALWAYS = (code, operation) -> true;
    private static final int LOCAL_GROUPS = 2;

    /** Copies the data, as fast as memory or cache allow. It is not a coder, but a bound for a report. */
    static final Coder COPY =
            new Coder("copy", "no coder; copies the k data units to k others", HERE, ALWAYS, Copy::new);

    static final List<Coder> ALL = List.of(
            new Coder(RS_JAVA, "Hadoop's own", HERE, Coders::fitsHadoop, shape -> {
                Stripe stripe = Stripe.random(shape, Generators.hdfsCauchy(shape.code()), ByteBuffer::allocate);
                return new JavaLane(RS_JAVA, stripe, new RsJava(stripe));
            }),
            new Coder(ISAL, "Intel's library, in C and assembler", Isal::missing, ALWAYS, Isal::lane),
            ours("plain", "ours, in plain Java", "plain", Generators::hdfsCauchy, ByteBuffer::allocate),
            ours(
                    "vector",
                    "ours, in vector code that is generated for each matrix",
                    "vector",
                    Generators::hdfsCauchy,
                    ByteBuffer::allocate),
            ours(
                    "vector-direct",
                    "the same on direct buffers instead of arrays",
                    "vector",
                    Generators::hdfsCauchy,
                    ByteBuffer::allocateDirect),
            ours(
                    "machine",
                    "ours, in machine code that is written for each matrix",
                    "machine",
                    Generators::hdfsCauchy,
                    ByteBuffer::allocate),
            ours(
                    "machine-direct",
                    "the same on direct buffers instead of arrays",
                    "machine",
                    Generators::hdfsCauchy,
                    ByteBuffer::allocateDirect),
            ours(
                    "paritas",
                    "ours, in vector code for the generators of codec paritas: other bytes",
                    "vector",
                    Generators::paritas,
                    ByteBuffer::allocate),
            ours("paritas-machine", "the same in machine code", "machine", Generators::paritas, ByteBuffer::allocate),
            ours(
                    "lrc",
                    "ours, on its fastest kernel here: a local reconstruction code of two groups",
                    "auto",
                    Coders::local,
                    ByteBuffer::allocate),
            COPY);

    /** The coders that are measured by default. */
    static final String DEFAULT = "rs_java,isa-l,plain,vector,machine,paritas";

    static {
        // Measures long runs, so generated code runs from the start and is compiled meanwhile.
        System.setProperty("io.paritas.kernel.warmUp", "0");
    }

    private Coders() {}

    /**
     * Returns the coder of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Coder named(String name) {
        return Stream.concat(ALL.stream(), StripCoders.ALL.stream())
                .filter(coder -> coder.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a coder must be one of "
                        + String.join(", ", ALL.stream().map(Coder::name).toList())
                        + ", strips-W, gemm-W, packets-W with W = 1 to 8, got '" + name + "'"));
    }

    /** Our coder on the fastest kernel that can run here. */
    static Coder oursHere() {
        return named(KernelChoice.named("auto").provider().name());
    }

    /** Hadoop's own coder has no code of 256 units. */
    private static boolean fitsHadoop(CodeParameters code, Operation operation) {
        return code.n() < 256;
    }

    /** Shares one code for all threads and lengths, as HDFS does, so that its kernels are compiled once. */
    private static Coder ours(
            String name,
            String about,
            String kernel,
            Function<CodeParameters, Matrix> generator,
            IntFunction<ByteBuffer> allocate) {
        Map<CodeParameters, ErasureCode> codes = new ConcurrentHashMap<>();
        return new Coder(
                name, about, () -> unavailable(kernel), (code, operation) -> has(generator, code, operation), shape -> {
                    ErasureCode code = codes.computeIfAbsent(
                            shape.code(),
                            parameters -> ErasureCode.of(
                                    generator.apply(parameters),
                                    KernelChoice.named(kernel).provider()));
                    Stripe stripe = Stripe.random(shape, code.generator(), allocate);
                    return new JavaLane(name, stripe, new OurCode(code, stripe));
                });
    }

    /** With as many parity units in all as the shape says: k data units, r - 2 global and 2 local parity units. */
    private static Matrix local(CodeParameters code) {
        return Generators.lrc(new LrcParameters(code.k(), code.r() - LOCAL_GROUPS, LOCAL_GROUPS));
    }

    /** Whether there is a generator of this shape, by which the units that the operation loses can be had again. */
    private static boolean has(Function<CodeParameters, Matrix> generator, CodeParameters code, Operation operation) {
        try {
            Matrix matrix = generator.apply(code);
            int[] lost = IntStream.range(0, operation.erased(code)).toArray();
            return matrix.columns() == code.k()
                    && ErasureCode.of(matrix, KernelChoice.named("plain").provider())
                            .canReconstruct(Erasures.of(lost));
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    private static Optional<String> unavailable(String kernel) {
        try {
            KernelChoice.named(kernel);
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of(e.getMessage());
        }
    }
}
