/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.KernelProvider;
import io.paritas.erasure.kernel.Program;
import io.paritas.erasure.kernel.Regions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A systematic, byte-local erasure code: makes r parity units of k data units, and reconstructs missing ones of the n =
 * k + r units. An MDS code reconstructs any r of them; all codes here are MDS except local reconstruction codes ({@link
 * #lrc}). Immutable and thread-safe; one instance serves any number of threads.
 *
 * <p>Units are equally long, of any length. They are whole arrays, the remaining bytes of buffers (heap or direct; no
 * position moves), or {@link Regions}. Because the code is byte-local, every method also works on the same byte range of
 * each unit. Inputs are only read. Outputs are overwritten and must not overlap anything else.
 *
 * <p>A code alone does not locate corruption: {@link #verify} tells that a stripe is inconsistent, not which unit is wrong.
 * Keep a checksum with each unit, and treat a unit that fails it as missing.
 */
@PublicApi
public final class ErasureCode implements SystematicCode {
    /**
     * Cached plans and products. One or two lost units of RS(10,4) are 105 patterns, which a cluster has while two nodes are down;
     * whose product leaves the cache becomes fast anew.
     */
    private static final int PLANS = 256;

    /** The bytes of each unit that {@link #verify} encodes at a time. */
    private static final int VERIFY_WINDOW = 64 * 1024;

    private record Compiled(Program program, Kernel kernel) {}

    private final CodeParameters parameters;
    private final Matrix generator;
    private final KernelProvider provider;
    private final Kernel encoder;
    private final PlanCache<LossPattern, RepairPlan> plans = new PlanCache<>(PLANS);

    /** Patterns share them, and with them what they cost until they are fast: with one parity unit, all patterns do. */
    private final PlanCache<Matrix, Compiled> products = new PlanCache<>(PLANS);

    private ErasureCode(Matrix generator, KernelProvider provider) {
        this.parameters = new CodeParameters(generator.columns(), generator.rows());
        this.generator = generator;
        this.provider = provider;
        this.encoder = product(generator).kernel;
    }

    private Compiled product(Matrix matrix) {
        return products.get(matrix, this::compile);
    }

    private Compiled compile(Matrix matrix) {
        Program program = Program.product(matrix.toRows());
        return new Compiled(program, provider.compile(program));
    }

    /** HDFS's codec {@code rs} (see {@link Generators#hdfsCauchy}) on this JVM's kernel. */
    public static ErasureCode hdfsRs(CodeParameters parameters) {
        return of(Generators.hdfsCauchy(parameters));
    }

    /** ISA-L's Vandermonde code (see {@link Generators#isalVandermonde}, and its limits) on this JVM's kernel. */
    public static ErasureCode isalVandermonde(CodeParameters parameters) {
        return of(Generators.isalVandermonde(parameters));
    }

    /**
     * Paritas's own code (see {@link Generators#paritas}, and its shapes) on this JVM's kernel: the fastest, for parity
     * that no other implementation has to read.
     */
    public static ErasureCode paritas(CodeParameters parameters) {
        return of(Generators.paritas(parameters));
    }

    /** A local reconstruction code (see {@link Generators#lrc}, and its shapes) on this JVM's kernel. */
    public static ErasureCode lrc(LrcParameters parameters) {
        return of(Generators.lrc(parameters));
    }

    /** HDFS's codec {@code xor}: k data units and one parity unit, on this JVM's kernel. */
    public static ErasureCode xor(int k) {
        return of(Generators.xor(new CodeParameters(k, 1).k()));
    }

    /**
     * A code with any generator, on this JVM's kernel.
     *
     * @param generator r×k over GF(2<sup>8</sup>); the code is MDS if all minors are non-zero; otherwise {@link
     *     #canReconstruct} says what it reconstructs
     */
    public static ErasureCode of(Matrix generator) {
        return of(generator, KernelChoice.announced().provider());
    }

    /**
     * A code with any generator, on the kernels of this provider.
     *
     * @throws IllegalArgumentException if the generator is not over GF(2<sup>8</sup>)/0x11d, or has a row of zeros
     */
    public static ErasureCode of(Matrix generator, KernelProvider provider) {
        if (generator.field() != GaloisField.bytes()) {
            throw new IllegalArgumentException("the units are bytes, so the generator must be over "
                    + GaloisField.bytes() + ", got " + generator.field());
        }
        checkRows(generator);
        return new ErasureCode(generator, provider);
    }

    /** @throws IllegalArgumentException if a row of the generator is zero: a plan would read nothing to reconstruct that unit */
    static void checkRows(Matrix generator) {
        for (int[] row : generator.toRows()) {
            if (Arrays.equals(row, new int[row.length])) {
                throw new IllegalArgumentException(
                        "a parity unit must be made of at least one data unit, got a row of zeros in " + generator);
            }
        }
    }

    @Override
    public CodeParameters parameters() {
        return parameters;
    }

    /** The r×k matrix that gives the parity units. */
    public Matrix generator() {
        return generator;
    }

    /** Encodes: makes the r parity arrays of the k data arrays. */
    public void encode(byte[][] data, byte[][] parity) {
        encode(Regions.of(data), Regions.of(parity));
    }

    /** Encodes: makes the r parity units of the k data units, each the remaining bytes of a buffer. */
    public void encode(ByteBuffer[] data, ByteBuffer[] parity) {
        encode(Regions.of(data), Regions.of(parity));
    }

    @Override
    public void encode(Regions data, Regions parity) {
        check("data units", parameters.k(), data.count());
        check("parity units", parameters.r(), parity.count());
        checkLengths(data, parity);
        encoder.apply(data, parity);
    }

    /**
     * Reconstructs the missing units in place.
     *
     * @param units all n units; the missing ones are overwritten, the others only read
     * @throws UnrecoverableException if the others do not determine them; that is so whenever more than r are missing
     */
    public void reconstruct(byte[][] units, Erasures missing) {
        reconstruct(Regions.of(units), missing);
    }

    /**
     * Reconstructs the missing units in place; each unit is the remaining bytes of a buffer.
     *
     * @param units all n units; the missing ones are overwritten, the others only read
     * @throws UnrecoverableException if the others do not determine them; that is so whenever more than r are missing
     */
    public void reconstruct(ByteBuffer[] units, Erasures missing) {
        reconstruct(Regions.of(units), missing);
    }

    private void reconstruct(Regions units, Erasures missing) {
        check("units", parameters.n(), units.count());
        if (missing.size() > 0) {
            RepairPlan plan = repairPlan(missing);
            plan.apply(units.pick(plan.sources()), units.pick(missing.toArray()));
        }
    }

    /** Returns the plan that reconstructs all missing units: {@link #repairPlan(Erasures, Erasures)}. */
    public RepairPlan repairPlan(Erasures missing) {
        return repairPlan(missing, missing);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The plan prefers units that combine the fewest data units: data units, then local parity, then global parity, in
     * their order. With an MDS code it reads the first k units that are left; with a local reconstruction code, a single
     * loss reads only the rest of its group.
     */
    @Override
    public RepairPlan repairPlan(Erasures missing, Erasures wanted) {
        return plans.get(new LossPattern(missing, wanted), this::plan);
    }

    private RepairPlan plan(LossPattern pattern) {
        checkUnits(pattern.missing().union(pattern.wanted()));
        Survivors survivors = new Survivors(generator, pattern.missing());
        return survivors
                .product(pattern.wanted())
                .map(repair -> plan(pattern.wanted(), repair))
                .orElseThrow(() -> unrecoverable(survivors, pattern));
    }

    private RepairPlan plan(Erasures wanted, Survivors.Product repair) {
        Compiled product = product(repair.matrix());
        return RepairPlan.of(wanted, repair.sources(), product.program, product.kernel);
    }

    private UnrecoverableException unrecoverable(Survivors survivors, LossPattern pattern) {
        return pattern.missing().size() > parameters.r()
                ? UnrecoverableException.tooMany(parameters, pattern.missing())
                : UnrecoverableException.dependent(
                        parameters, survivors.outOfReach(pattern.wanted()), pattern.missing(), survivors.rank());
    }

    @Override
    public boolean canReconstruct(Erasures missing) {
        checkUnits(missing);
        return missing.size() <= parameters.r() && new Survivors(generator, missing).rank() == parameters.k();
    }

    private void checkUnits(Erasures units) {
        if (units.last() >= parameters.n()) {
            throw new IllegalArgumentException(
                    "the units of a " + parameters + " code are 0.." + (parameters.n() - 1) + ", got " + units.last());
        }
    }

    /** Whether the parity of a stripe fits its data. The units are all n arrays, data first. */
    public boolean verify(byte[][] units) {
        return verify(Regions.of(units));
    }

    /** Whether the parity of a stripe fits its data. The units are the remaining bytes of all n buffers, data first. */
    public boolean verify(ByteBuffer[] units) {
        return verify(Regions.of(units));
    }

    private boolean verify(Regions units) {
        check("units", parameters.n(), units.count());
        return verify(
                units.pick(IntStream.range(0, parameters.k()).toArray()),
                units.pick(IntStream.range(parameters.k(), parameters.n()).toArray()));
    }

    @Override
    public boolean verify(Regions data, Regions parity) {
        check("data units", parameters.k(), data.count());
        check("parity units", parameters.r(), parity.count());
        checkLengths(data, parity);
        return fits(encoder, data, parity);
    }

    /** Whether the units that are not missing fit each other. The units are all n arrays, data first. */
    public boolean verify(byte[][] units, Erasures missing) {
        return verify(Regions.of(units), missing);
    }

    /** Whether the units that are not missing fit each other. They are the remaining bytes of all n buffers, data first. */
    public boolean verify(ByteBuffer[] units, Erasures missing) {
        return verify(Regions.of(units), missing);
    }

    /**
     * Whether the redundant units among those that are left are what the others make of them. True if none is redundant, as
     * with k units of an MDS code.
     */
    private boolean verify(Regions units, Erasures missing) {
        check("units", parameters.n(), units.count());
        checkUnits(missing);
        Erasures redundant = new Survivors(generator, missing).redundant();
        if (redundant.size() == 0) {
            return true;
        }
        RepairPlan plan = repairPlan(missing.union(redundant), redundant);
        return fits(plan::apply, units.pick(plan.sources()), units.pick(redundant.toArray()));
    }

    /** Whether the kernel computes these outputs from the inputs. */
    private static boolean fits(Kernel kernel, Regions inputs, Regions outputs) {
        byte[][] scratch = new byte[outputs.count()][Math.min(VERIFY_WINDOW, inputs.length())];
        int size;
        for (int from = 0; from < inputs.length(); from += size) {
            size = Math.min(VERIFY_WINDOW, inputs.length() - from);
            Regions expected = Regions.of(scratch, new int[scratch.length], size);
            kernel.apply(inputs.slice(from, size), expected);
            if (!expected.contentEquals(outputs.slice(from, size))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Compares the kernel's result with the generator's arithmetic on a small stripe.
     *
     * @throws IllegalStateException if they differ; do not trust this JVM or machine with data
     */
    public void selfCheck() {
        SelfCheck.run(this);
    }

    static void check(String what, int expected, int actual) {
        if (expected != actual) {
            throw new IllegalArgumentException("expected " + expected + " " + what + ", got " + actual);
        }
    }

    static void checkLengths(Regions inputs, Regions outputs) {
        if (inputs.length() != outputs.length()) {
            throw new IllegalArgumentException("units that are read and written must be equally long, got "
                    + inputs.length() + " and " + outputs.length() + " bytes");
        }
    }

    @Override
    public String toString() {
        return "erasure code " + parameters + " on the " + provider.name() + " kernel";
    }
}
