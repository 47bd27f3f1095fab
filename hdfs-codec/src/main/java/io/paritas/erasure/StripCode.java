/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure;

import io.paritas.PublicApi;
import io.paritas.erasure.kernel.Kernel;
import io.paritas.erasure.kernel.Regions;
import io.paritas.erasure.kernel.xor.GemmTiling;
import io.paritas.erasure.kernel.xor.StripKernel;
import io.paritas.erasure.kernel.xor.StripKernels;
import io.paritas.erasure.kernel.xor.StripSchedule;
import io.paritas.erasure.kernel.xor.StripSchedules;
import io.paritas.erasure.kernel.xor.Strips;
import io.paritas.erasure.kernel.xor.XorProgram;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A systematic erasure code in the packet layout of bitmatrix codes: each unit is cut into w equal strips, and strips are
 * xored only. It makes r parity units of k data units, and reconstructs any r missing ones of the n = k + r units.
 *
 * <p><b>Not byte-local</b>: a byte of a parity unit depends on bytes at other places of the data units, those at the same
 * place of their strips. So encode and reconstruct whole units. The parity differs from that of {@link ErasureCode} with
 * the same generator. HDFS decodes any byte range of a stripe by itself: never give it this code. It serves formats that
 * always read whole units.
 *
 * <p>Immutable and thread-safe; one instance serves any number of threads. Units are equally long, of a length that the
 * {@link Layout} allows. Inputs are only read. Outputs are overwritten and must not overlap anything else. The code detects
 * no corruption of units; a bit that flips in the processor is a {@link io.paritas.erasure.kernel.CodingFaultException}.
 */
@PublicApi
public final class StripCode implements SystematicCode {
    /** The way to compute a product with a matrix of bits. */
    public enum Form {
        /** A program for the matrix, optimised by an {@link XorProgram}'s compiler: fewest xors. */
        PROGRAM,
        /** One kernel for all matrices of a shape: {@link GemmTiling}. */
        GEMM,
        /** What {@code paritas tune} found to be the fastest on this machine, of both; {@link #PROGRAM} if it never ran. */
        TUNED
    }

    /** The assignment of a unit's bytes to strips: part of the stored format. */
    public enum Layout {
        /** A unit is w strips, one after another; its length is a multiple of w. */
        STRIPS,
        /**
         * A unit is a sequence of groups of w packets of 64 bytes, and packet b of each group belongs to strip b (the
         * packet size of Plank's Jerasure); its length is a multiple of 64 · w. Programs run fastest on this one,
         * because the bytes of one step are close together.
         */
        PACKETS
    }

    /** The bytes of a packet. */
    private static final int PACKET = 64;

    /** Cached plans. Real failures use a handful of patterns. */
    private static final int PLANS = 64;

    private final CodeParameters parameters;
    private final Matrix generator;
    private final int w;
    private final Form form;
    private final Layout layout;
    private final Kernel encoder;
    private final PlanCache<LossPattern, RepairPlan> plans = new PlanCache<>(PLANS);

    private StripCode(Matrix generator, Form form, Layout layout) {
        this.parameters = new CodeParameters(generator.columns(), generator.rows());
        this.generator = generator;
        this.w = generator.field().w();
        this.form = form;
        this.layout = layout;
        this.encoder = compile(generator);
    }

    /** A code with any generator, in program form: {@link #of(Matrix, Form)}. */
    public static StripCode of(Matrix generator) {
        return of(generator, Form.PROGRAM);
    }

    /**
     * A code with any generator.
     *
     * @param generator r×k over GF(2<sup>w</sup>), w = 1..8, which cuts units into w strips; any k rows of the identity
     *     above it must be independent, which is checked only when a repair needs them
     */
    public static StripCode of(Matrix generator, Form form) {
        return of(generator, form, Layout.STRIPS);
    }

    /**
     * A code with any generator, in any layout: {@link #of(Matrix, Form)}.
     *
     * @throws IllegalArgumentException if the layout is {@link Layout#PACKETS} and the form not {@link Form#PROGRAM}, or a row of
     *     the generator is zero
     */
    public static StripCode of(Matrix generator, Form form, Layout layout) {
        if (form != Form.PROGRAM && layout == Layout.PACKETS) {
            throw new IllegalArgumentException(
                    "the form " + form + " computes whole strips: use the layout STRIPS with it");
        }
        ErasureCode.checkRows(generator);
        return new StripCode(generator, form, layout);
    }

    /**
     * A Cauchy code over the smallest field that is large enough, with the fewest strips and xors: a<sub>ij</sub> =
     * 1 / (i xor (r + j)).
     */
    public static StripCode cauchy(CodeParameters parameters) {
        int w = IntStream.rangeClosed(4, 8)
                .filter(width -> 1 << width >= parameters.n())
                .findFirst()
                .orElseThrow();
        return of(cauchy(parameters, w));
    }

    /**
     * The Cauchy matrix of strip codes in files: a<sub>ij</sub> = 1 / (i xor (r + j)) over GF(2<sup>w</sup>).
     *
     * @param w strips of a unit, 1 to 8
     * @throws IllegalArgumentException if the field has fewer than n elements
     */
    static Matrix cauchy(CodeParameters code, int w) {
        if (w < 1 || w > 8 || code.n() > 1 << w) {
            throw new IllegalArgumentException(
                    "a strip code needs K + R <= 2^W, with W = 1 to 8 strips in a unit, got " + code + " and W = " + w);
        }
        GaloisField field = GaloisField.ofWidth(w);
        return Matrix.of(field, code.r(), code.k(), (i, j) -> field.inverse(i ^ (code.r() + j)));
    }

    private Kernel compile(Matrix product) {
        StripKernel kernel = strips(product);
        return (inputs, outputs) -> {
            checkLength(inputs);
            kernel.apply(Strips.of(w, inputs), Strips.of(w, outputs));
        };
    }

    private StripKernel strips(Matrix product) {
        List<BitSet> rows = BitMatrix.rows(product);
        int inputs = product.columns() * w;
        if (layout == Layout.PACKETS) {
            return StripKernels.packets(w, StripSchedule.STANDARD.schedule(inputs, rows));
        }
        StripSchedule schedule =
                switch (form) {
                    case PROGRAM -> StripSchedule.STANDARD;
                    case GEMM -> StripSchedule.PRODUCT;
                    case TUNED -> schedules(product).fastest();
                };
        return schedule.compile(inputs, rows);
    }

    StripSchedules schedules(Matrix product) {
        return new StripSchedules(w, product.columns() * w, BitMatrix.rows(product));
    }

    @Override
    public CodeParameters parameters() {
        return parameters;
    }

    /** The r×k matrix that gives the parity units. */
    public Matrix generator() {
        return generator;
    }

    /** The number of strips of a unit. A unit's length is a multiple of it, or of what the layout says. */
    public int w() {
        return w;
    }

    /**
     * Encodes: makes the r parity arrays of the k data arrays.
     *
     * @throws IllegalArgumentException if the counts or the lengths do not fit, or the length is no multiple of w
     */
    public void encode(byte[][] data, byte[][] parity) {
        encode(Regions.of(data), Regions.of(parity));
    }

    /**
     * Encodes: makes the r parity units of the k data units, each the remaining bytes of a buffer, heap or direct.
     *
     * @throws IllegalArgumentException if the counts or the lengths do not fit, or the length is no multiple of w
     */
    public void encode(ByteBuffer[] data, ByteBuffer[] parity) {
        encode(Regions.of(data), Regions.of(parity));
    }

    @Override
    public void encode(Regions data, Regions parity) {
        check(data, parity);
        encoder.apply(data, parity);
    }

    private void check(Regions data, Regions parity) {
        ErasureCode.check("data units", parameters.k(), data.count());
        ErasureCode.check("parity units", parameters.r(), parity.count());
        if (data.length() != parity.length()) {
            throw new IllegalArgumentException("data and parity units must be equally long, got " + data.length()
                    + " and " + parity.length() + " bytes");
        }
    }

    /**
     * Reconstructs the missing units in place.
     *
     * @param units all n units; the missing ones are overwritten, the others only read
     * @throws UnrecoverableException if more than r are missing
     */
    public void reconstruct(byte[][] units, Erasures missing) {
        reconstruct(Regions.of(units), missing);
    }

    /**
     * Reconstructs the missing units in place; each unit is the remaining bytes of a buffer, heap or direct.
     *
     * @param units all n units; the missing ones are overwritten, the others only read
     * @throws UnrecoverableException if more than r are missing
     */
    public void reconstruct(ByteBuffer[] units, Erasures missing) {
        reconstruct(Regions.of(units), missing);
    }

    private void reconstruct(Regions units, Erasures missing) {
        ErasureCode.check("units", parameters.n(), units.count());
        checkUnits(missing);
        checkLength(units);
        if (missing.size() > 0) {
            RepairPlan plan = repairPlan(missing, missing);
            plan.apply(units.pick(plan.sources()), units.pick(missing.toArray()));
        }
    }

    private void checkUnits(Erasures units) {
        if (units.last() >= parameters.n()) {
            throw new IllegalArgumentException(
                    "the units of a " + parameters + " code are 0.." + (parameters.n() - 1) + ", got " + units.last());
        }
    }

    private void checkLength(Regions units) {
        if (units.length() % w != 0) {
            throw Strips.uneven(w, units.length());
        }
        if (layout == Layout.PACKETS && units.length() % (w * PACKET) != 0) {
            throw new IllegalArgumentException("a unit is groups of " + w + " packets of " + PACKET
                    + " bytes, so its length must be a multiple of " + w * PACKET + ", got " + units.length()
                    + " bytes; pad the units");
        }
    }

    @Override
    public RepairPlan repairPlan(Erasures missing, Erasures wanted) {
        return plans.get(new LossPattern(missing, wanted), this::plan);
    }

    private RepairPlan plan(LossPattern pattern) {
        Survivors.Product repair = repair(pattern);
        return RepairPlan.of(pattern.wanted(), repair.sources(), compile(repair.matrix()));
    }

    /** The matrix that makes missing units of the others. */
    Matrix repairMatrix(Erasures missing) {
        return repair(new LossPattern(missing, missing)).matrix();
    }

    private Survivors.Product repair(LossPattern pattern) {
        checkUnits(pattern.missing().union(pattern.wanted()));
        if (pattern.missing().size() > parameters.r()) {
            throw UnrecoverableException.tooMany(parameters, pattern.missing());
        }
        Survivors survivors = new Survivors(generator, pattern.missing());
        return survivors
                .product(pattern.wanted())
                .orElseThrow(() -> UnrecoverableException.dependent(
                        parameters, survivors.outOfReach(pattern.wanted()), pattern.missing(), survivors.rank()));
    }

    @Override
    public boolean canReconstruct(Erasures missing) {
        checkUnits(missing);
        return missing.size() <= parameters.r() && new Survivors(generator, missing).rank() == parameters.k();
    }

    @Override
    public boolean verify(Regions data, Regions parity) {
        check(data, parity);
        Regions expected = Regions.of(new byte[parity.count()][data.length()]);
        encoder.apply(data, expected);
        return expected.contentEquals(parity);
    }

    @Override
    public String toString() {
        return "strip code " + parameters + " over " + generator.field() + ", " + form + " of " + layout;
    }
}
