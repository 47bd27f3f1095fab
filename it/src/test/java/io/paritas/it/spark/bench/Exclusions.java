/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark.bench;

import io.paritas.inference.screen.ErrorBudget;
import io.paritas.inference.screen.Ledger;
import io.paritas.inference.screen.Suspicion;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;

/**
 * How many batches an executor predicts until it is called faulty, if a bit of each product flips with some probability. Only flips
 * are drawn; the sound batches between them count all at once. The decision is the one of the driver.
 *
 * @param products matrix products of a batch
 * @param share of the batches that are audited, a hundred times as many while the executor is suspect
 * @param residual whether every batch is compared with parity
 * @param changes probability that a flip changes an answer, which an audit sees
 * @param seen probability that a flip is seen by a residual
 */
record Exclusions(int products, double share, boolean residual, double changes, double seen) {
    static final double HORIZON = 1e10;
    private static final int RUNS = 100;
    /** As of the first five million batches of a day, with the budget that is usual. */
    private static final double ERROR = 1e-9;

    private static final double MORE_OF_SUSPECTS = 100;
    private static final String LIAR = "1";

    /** The median of a hundred executors; infinite if most of them are not found within {@link #HORIZON} batches. */
    double batches(double flipRate, long seed) {
        Random random = new Random(seed);
        double[] all = new double[RUNS];
        for (int run = 0; run < RUNS; run++) {
            all[run] = run(1 - Math.pow(1 - flipRate, products), random);
        }
        Arrays.sort(all);
        return all[RUNS / 2];
    }

    private double run(double wrongBatches, Random random) {
        Ledger ledger = new Ledger(ErrorBudget.ofEachTest(ERROR));
        double batches = 0;
        while (batches < HORIZON) {
            double gap = 1 + Math.floor(Math.log(1 - random.nextDouble()) / Math.log1p(-wrongBatches));
            batches += gap;
            boolean suspect = ledger.isSuspect(LIAR);
            double audited = suspect ? Math.min(1, MORE_OF_SUSPECTS * share) : share;
            ledger.compared(Math.round(residual ? gap : gap * audited), Set.of(LIAR));
            boolean found = residual && random.nextDouble() < seen;
            found |= random.nextDouble() < audited && random.nextDouble() < changes;
            if (found && ledger.addWrong(LIAR).suspicion() == Suspicion.FAULTY) {
                return batches;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
