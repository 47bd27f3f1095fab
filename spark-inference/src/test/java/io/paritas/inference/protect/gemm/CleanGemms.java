/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import java.util.Random;

/**
 * Counts false alarms in clean products of random sizes, and faults that are missed. Arguments: how many products (1000000),
 * and a seed (1). Each product is checked by all schemes. Of every fourth, one bit of one value is flipped as well: what it
 * changes by more than twice the bound must be found.
 *
 * <pre>{@code
 * java --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES \
 *     io.paritas.inference.protect.gemm.CleanGemms 1000000 1
 * }</pre>
 */
public final class CleanGemms {
    private static final int POOL = 1 << 20;
    private static final Scheme[] CHECKS = {
        Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED, Scheme.WEIGHTED, Scheme.REPLICATION
    };

    private CleanGemms() {}

    public static void main(String[] arguments) {
        int products = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        System.out.println(run(products, seed, TileChoice.current()));
    }

    /** What was counted. */
    record Counted(long products, long checks, long falseAlarms, double closest, long flips, long above, long missed) {
        @Override
        public String toString() {
            return String.format(
                    "%,d clean products, %,d checks: %d false alarms, the closest at %.3f of its bound;"
                            + " %,d flips, %,d above twice the bound, of these %d missed",
                    products, checks, falseAlarms, closest, flips, above, missed);
        }
    }

    static Counted run(int products, long seed, Tiles tiles) {
        Random random = new Random(seed);
        float[] pool = new float[POOL];
        for (int i = 0; i < POOL; i++) {
            pool[i] = (float) (random.nextGaussian() * Math.exp(random.nextGaussian()));
        }
        double[] closest = new double[1];
        Probe closeness = new Probe() {
            @Override
            public void compared(int row, int column, double distance, double tolerance) {
                closest[0] = Math.max(closest[0], distance / tolerance);
            }
        };
        long checks = 0;
        long alarms = 0;
        long flips = 0;
        long above = 0;
        long missed = 0;
        for (int turn = 0; turn < products; turn++) {
            int m = 1 + random.nextInt(random.nextInt(8) == 0 ? 120 : 16);
            int n = 1 + random.nextInt(random.nextInt(4) == 0 ? 100 : 20);
            int k = 1 + random.nextInt(random.nextInt(16) == 0 ? 700 : 64);
            boolean positive = random.nextInt(4) == 0;
            float[] a = new float[m * k];
            int from = random.nextInt(POOL - a.length);
            float scale = (float) Math.exp(random.nextGaussian() * 4);
            for (int i = 0; i < a.length; i++) {
                a[i] = scale * (positive ? Math.abs(pool[from + i]) : pool[from + i]);
            }
            int at = random.nextInt(POOL - n * k - n);
            float[] bias = new float[n];
            System.arraycopy(pool, at + n * k, bias, 0, n);
            Weights weights = Weights.pack(
                    tiles,
                    k,
                    n,
                    positive ? (row, j) -> Math.abs(pool[at + row * n + j]) : (row, j) -> pool[at + row * n + j],
                    bias);
            Gemm gemm = new Gemm(weights);
            Gemm.Target c = new Gemm.Target(new float[m * n], 0, n);
            for (Scheme scheme : CHECKS) {
                Findings findings = gemm.run(Activations.of(a, m, k), c, scheme, closeness);
                checks += findings.checks();
                alarms += findings.faults();
                if (turn % 4 == 0) {
                    Flip flip = new Flip(random.nextInt(m), random.nextInt(n), random.nextInt(32));
                    boolean found =
                            gemm.run(Activations.of(a, m, k), c, scheme, flip).faults() > 0;
                    flips++;
                    if (Double.isNaN(flip.change()) || flip.change() > 2 * flip.tolerance()) {
                        above++;
                        missed += found ? 0 : 1;
                    }
                }
            }
        }
        return new Counted(products, checks, alarms, closest[0], flips, above, missed);
    }
}
