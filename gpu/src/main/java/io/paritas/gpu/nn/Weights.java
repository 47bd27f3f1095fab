/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Closings;
import io.paritas.gpu.DeviceMemory;
import io.paritas.gpu.LaunchShape;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * A matrix B (K × N) and a bias on the GPU, packed as the kernels read them. With the sums and norms that checks need, computed
 * once (thesis, 4.2.4), if products are to be checked. Immutable and thread-safe, until closed.
 */
public final class Weights implements AutoCloseable {
    /** Rows and columns of a block of C, as in protected.cuh. */
    public static final int BLOCK = 64;

    /** The most columns: kernels for few rows have a block of threads in y for each block of columns. */
    public static final int MAX_COLUMNS = LaunchShape.MAX_BLOCKS_YZ * BLOCK;

    /** How many groups the columns of a block are checked in. */
    static final int GROUPS = 16;

    /** Row sums are read in steps of so many, with zeros behind the last one. */
    private static final int STAGE = 32;

    private static final int OF_A_GROUP = BLOCK / GROUPS;
    private static final float LARGEST_HALF = 65_504;

    private final Precision precision;
    private final int depth;
    private final int columns;
    private final Closings memories = new Closings();
    private final DeviceMemory packed;
    private final DeviceMemory bias;
    private final Optional<Sums> sums;

    /** The entries of a matrix. */
    @FunctionalInterface
    public interface Entries {
        /** Returns the entry in row k and column n. */
        float at(int k, int n);
    }

    /**
     * What checks need to know.
     *
     * @param ofRows on the GPU: the sum of each row
     * @param norms of the sums of absolute values in each row: for each group of columns, then for all columns
     * @param largest sum of absolute values of a group in a row
     */
    private record Sums(DeviceMemory ofRows, double[] norms, double largest) {}

    /** Packs a matrix whose products may be checked. */
    public Weights(Precision precision, int depth, int columns, Entries entries, float[] bias) {
        this(precision, depth, columns, entries, bias, true);
    }

    /**
     * Packs a matrix and uploads it; the thread is bound to the GPU.
     *
     * @param depth K, at least 1
     * @param columns N, at least 1, and so that {@link #packedBytes} are few enough
     * @param entries of B; rounded to the precision
     * @param bias one for each column, added to every row of C
     * @param checked whether products may be checked
     */
    public Weights(Precision precision, int depth, int columns, Entries entries, float[] bias, boolean checked) {
        if (depth < 1 || columns < 1 || bias.length != columns) {
            throw new IllegalArgumentException("a matrix must have rows, columns and a bias for each column, got"
                    + " " + depth
                    + " x " + columns + " and " + bias.length + " biases");
        }
        this.precision = precision;
        this.depth = depth;
        this.columns = columns;
        Entries rounded = (k, n) -> precision.rounded(entries.at(k, n));
        try {
            packed = memories.add(DeviceValues.upload(pack(rounded)));
            this.bias = memories.add(DeviceValues.upload(bias));
            sums = checked ? Optional.of(sums(rounded)) : Optional.empty();
        } catch (RuntimeException | Error e) {
            memories.close();
            throw e;
        }
    }

    private Sums sums(Entries entries) {
        double[] norms = new double[blocks() * GROUPS + 1];
        double largest = 0;
        for (int group = 0; group < blocks() * GROUPS; group++) {
            largest = Math.max(largest, measure(group, entries, norms));
        }
        double[] sums = new double[depth];
        double[] absolute = new double[depth];
        for (int n = 0; n < columns; n++) { // a column lies together where ONNX has weights transposed, as most are
            for (int k = 0; k < depth; k++) {
                float entry = entries.at(k, n);
                sums[k] += entry;
                absolute[k] += Math.abs(entry);
            }
        }
        norms[norms.length - 1] =
                Math.sqrt(Arrays.stream(absolute).map(sum -> sum * sum).reduce(0, Double::sum));
        float[] rounded = new float[(depth + STAGE - 1) / STAGE * STAGE];
        for (int k = 0; k < depth; k++) {
            rounded[k] = (float) sums[k];
        }
        return new Sums(memories.add(DeviceValues.upload(rounded)), norms, largest);
    }

    /** Computes the norm of the sums of a group's absolute values in each row; returns the largest sum. */
    private double measure(int group, Entries entries, double[] norms) {
        double squares = 0;
        double largest = 0;
        for (int k = 0; k < depth; k++) {
            double sum = 0;
            for (int i = 0; i < OF_A_GROUP; i++) {
                int n = column(group, i);
                sum += n < columns ? Math.abs(entries.at(k, n)) : 0;
            }
            squares += sum * sum;
            largest = Math.max(largest, sum);
        }
        norms[group] = Math.sqrt(squares);
        return largest;
    }

    /** Returns a column of a group: one of each of four tiles in the half kernels, four in a row in the single kernels. */
    private int column(int group, int i) {
        int first = group / GROUPS * BLOCK;
        int own = group % GROUPS;
        return precision == Precision.HALF ? first + own / 8 * 32 + 8 * i + own % 8 : first + OF_A_GROUP * own + i;
    }

    /** Packs B block of columns by block, in pieces as deep as what the kernels bring to shared memory at a time. */
    private ByteBuffer pack(Entries entries) {
        int padded = precision.padded(depth);
        ByteBuffer bytes = DeviceValues.buffer(Math.toIntExact(packedBytes(precision, depth, columns)));
        for (int block = 0; block < blocks(); block++) {
            for (int step = 0; step < padded; step += precision.depth()) {
                if (precision == Precision.HALF) {
                    packHalves(entries, step, block * BLOCK, bytes);
                } else {
                    for (int k = 0; k < precision.depth(); k++) {
                        for (int n = 0; n < BLOCK; n++) {
                            bytes.putFloat(entry(entries, step + k, block * BLOCK + n));
                        }
                    }
                }
            }
        }
        return bytes.flip();
    }

    /** The sixteen bytes of a column have an order that depends on the column, as in gemm_half.cuh. */
    private void packHalves(Entries entries, int k, int first, ByteBuffer bytes) {
        int ofAChunk = precision.ofAChunk();
        for (int n = 0; n < BLOCK; n++) {
            for (int chunk = 0; chunk < precision.depth() / ofAChunk; chunk++) {
                int from = k + (chunk ^ n / 2 % 4) * ofAChunk;
                for (int i = 0; i < ofAChunk; i++) {
                    bytes.putShort(Halves.of(entry(entries, from + i, first + n)));
                }
            }
        }
    }

    private float entry(Entries entries, int k, int n) {
        return k < depth && n < columns ? entries.at(k, n) : 0;
    }

    /**
     * Returns the tolerances of a scheme for rows of norm 1: one for each group of columns, then one for all columns.
     *
     * @throws IllegalArgumentException if the scheme cannot check these weights
     * @throws IllegalStateException if products are not to be checked
     */
    float[] bounds(Scheme scheme) {
        Sums known = sums.orElseThrow(() -> new IllegalStateException(
                "the weights were packed for products without checks, " + scheme + " was asked for"));
        if (!scheme.supports(precision)) {
            throw new IllegalArgumentException(
                    "the scheme " + scheme + " needs the precision half: for " + precision + " use thread");
        }
        if (precision == Precision.HALF && scheme.sumsHalves() && !(known.largest <= LARGEST_HALF)) {
            throw new IllegalArgumentException("the scheme " + scheme + " adds 4 weights in float16, whose sum"
                    + " must be at most 65504, got "
                    + known.largest + ": use global, replication or duplication");
        }
        ErrorBound bound = ErrorBound.of(scheme, precision, depth, columns);
        float[] bounds = new float[known.norms.length];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = bound.of(known.norms[i]);
        }
        return bounds;
    }

    /** How many bytes a matrix takes as it is packed, at most 2^31 - 1: columns fill whole blocks. */
    public static long packedBytes(Precision precision, int depth, int columns) {
        return (long) precision.padded(depth) * blocks(columns) * BLOCK * precision.bytes();
    }

    Precision precision() {
        return precision;
    }

    /** K. */
    public int depth() {
        return depth;
    }

    /** N. */
    public int columns() {
        return columns;
    }

    /** Blocks of columns of C. */
    int blocks() {
        return blocks(columns);
    }

    /** Blocks of that many rows or columns of C. */
    public static int blocks(int count) {
        return (count + BLOCK - 1) / BLOCK;
    }

    long packed() {
        return packed.address();
    }

    long bias() {
        return bias.address();
    }

    /** 0 if products are not to be checked. */
    long rowSums() {
        return sums.map(each -> each.ofRows.address()).orElse(0L);
    }

    /** Frees the memory; nothing may use it any more. */
    @Override
    public void close() {
        memories.close();
    }
}
