/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.ErasureCode;
import io.paritas.erasure.Erasures;
import io.paritas.erasure.Matrix;
import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coders of one codec. All encoders and decoders of a (k, r) share one {@link ErasureCode} per JVM, because HDFS
 * creates a new coder for every file that it opens.
 *
 * <p>The first coder of each shape logs one line that names the kernel, and checks that kernel against the generator.
 */
final class ParitasCoders {
    private static final Logger LOG = LoggerFactory.getLogger(ParitasCoders.class);

    /** Whether the advice for a faster JVM was logged: once for all codecs and shapes. */
    private static final AtomicBoolean ADVISED = new AtomicBoolean();

    private static final FaultWarnings FAULTS = new FaultWarnings(LOG::warn);

    /** So many failures of a codec are logged. Their texts may differ each time, as those with the name of a temporary file. */
    private static final int MOST_FAILURES = 100;

    private final String coderName;
    private final Function<CodeParameters, Matrix> generator;
    private final Supplier<KernelChoice> kernel;
    private final Map<CodeParameters, ErasureCode> codes = new ConcurrentHashMap<>();
    /** The failures that were logged. Each shape that has no generator has one of its own. */
    private final Set<String> failures = ConcurrentHashMap.newKeySet();

    ParitasCoders(String coderName, Function<CodeParameters, Matrix> generator) {
        this(coderName, generator, KernelChoice::current);
    }

    /** @param kernel of all its coders */
    ParitasCoders(String coderName, Function<CodeParameters, Matrix> generator, Supplier<KernelChoice> kernel) {
        this.coderName = coderName;
        this.generator = generator;
        this.kernel = kernel;
    }

    RawErasureEncoder encoder(ErasureCoderOptions options) {
        return create(options, code -> encoder(options, code, prefersDirect(code)));
    }

    RawErasureDecoder decoder(ErasureCoderOptions options) {
        return create(options, code -> decoder(options, code, prefersDirect(code)));
    }

    /** HDFS asks each coder, and takes such buffers then. */
    private boolean prefersDirect(ErasureCode code) {
        return kernel.get()
                .prefersDirectBuffers(
                        Program.product(generator.apply(code.parameters()).toRows()));
    }

    static RawErasureEncoder encoder(ErasureCoderOptions options, ErasureCode code, boolean prefersDirect) {
        return HadoopSide.encoder(options, checked(code::encode), prefersDirect);
    }

    static RawErasureDecoder decoder(ErasureCoderOptions options, ErasureCode code, boolean prefersDirect) {
        return HadoopSide.decoder(options, erased -> checked(decode(code, erased)), prefersDirect);
    }

    /**
     * Computes once more after a fault: HDFS gives up the whole file that it writes if its encoder fails. A second fault becomes an
     * exception of the JDK, because Hadoop's side and this one share no other types.
     */
    private static BiConsumer<ByteBuffer[], ByteBuffer[]> checked(BiConsumer<ByteBuffer[], ByteBuffer[]> coding) {
        return (inputs, outputs) -> {
            try {
                coding.accept(inputs, outputs);
            } catch (CodingFaultException first) {
                FAULTS.warn(first, System.nanoTime());
                repeat(coding, inputs, outputs);
            }
        };
    }

    private static void repeat(
            BiConsumer<ByteBuffer[], ByteBuffer[]> coding, ByteBuffer[] inputs, ByteBuffer[] outputs) {
        try {
            coding.accept(inputs, outputs);
        } catch (CodingFaultException again) {
            throw new UncheckedIOException(new IOException(again.getMessage(), again));
        }
    }

    /** Creates a coder. Logs each failure once: Hadoop logs it at DEBUG only, and takes its next coder. */
    private <C> C create(ErasureCoderOptions options, Function<ErasureCode, C> create) {
        try {
            CodeParameters parameters = new CodeParameters(options.getNumDataUnits(), options.getNumParityUnits());
            return create.apply(codes.computeIfAbsent(parameters, this::code));
        } catch (RuntimeException | LinkageError e) {
            if (failures.size() < MOST_FAILURES && failures.add(String.valueOf(e))) {
                LOG.warn(
                        "{} cannot run here, so HDFS takes the next coder of its list, if there is one: {}",
                        coderName,
                        e,
                        e);
            }
            throw e;
        }
    }

    private ErasureCode code(CodeParameters parameters) {
        KernelChoice choice = kernel.get();
        ErasureCode code = ErasureCode.of(generator.apply(parameters), choice.provider());
        code.selfCheck();
        LOG.info("{}{} on JDK {}, {}", coderName, parameters, Runtime.version(), choice.sentence());
        choice.passedOver().filter(advice -> ADVISED.compareAndSet(false, true)).ifPresent(LOG::warn);
        return code;
    }

    /**
     * Decodes by HDFS's rules: an input is null if its unit was not read; there may be more than k inputs; erased
     * indexes are in any order, may be fewer than the nulls, even none, and may name a unit whose input is present.
     */
    private static BiConsumer<ByteBuffer[], ByteBuffer[]> decode(ErasureCode code, int[] erased) {
        if (erased.length == 0) {
            return (inputs, outputs) -> {};
        }
        return (inputs, outputs) -> {
            Erasures wanted = Erasures.of(erased);
            RepairPlan plan = code.repairPlan(unreadable(code, inputs, wanted), wanted);
            plan.apply(Regions.of(pick(inputs, plan.sources())), Regions.of(sortedBy(erased, outputs)));
        };
    }

    /**
     * Returns the units that were not read and the erased ones; without the erased ones if fewer than k units would
     * remain.
     */
    private static Erasures unreadable(ErasureCode code, ByteBuffer[] inputs, Erasures wanted) {
        int[] unread = new int[inputs.length];
        int count = 0;
        for (int unit = 0; unit < inputs.length; unit++) {
            if (inputs[unit] == null) {
                unread[count++] = unit;
            }
        }
        Erasures missing = Erasures.of(Arrays.copyOf(unread, count));
        Erasures both = missing.union(wanted);
        return both.size() <= code.parameters().r() ? both : missing;
    }

    private static ByteBuffer[] pick(ByteBuffer[] units, int[] indices) {
        ByteBuffer[] picked = new ByteBuffer[indices.length];
        for (int i = 0; i < indices.length; i++) {
            picked[i] = units[indices[i]];
        }
        return picked;
    }

    /** Returns the outputs in the order of their units, which is the order of a plan. */
    private static ByteBuffer[] sortedBy(int[] erased, ByteBuffer[] outputs) {
        ByteBuffer[] sorted = new ByteBuffer[outputs.length];
        for (int i = 0; i < erased.length; i++) {
            int rank = 0;
            for (int other : erased) {
                rank += other < erased[i] ? 1 : 0;
            }
            sorted[rank] = outputs[i];
        }
        return sorted;
    }
}
