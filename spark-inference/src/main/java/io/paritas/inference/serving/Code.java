/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.parity.QueryEncoder;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The code of a group of queries.
 *
 * @param plan that the parity models were trained by; its k is the group's
 * @param r how many of the parity models are used, from the first
 * @param shape of a query
 * @param range of the values of queries that are coded; others are answered without
 */
@PublicApi
public record Code(ParityPlan plan, int r, List<Integer> shape, InputRange range) implements Serializable {
    private static final long serialVersionUID = 1;

    /** A code of queries with any finite values. */
    public Code(ParityPlan plan, int r, List<Integer> shape) {
        this(plan, r, shape, InputRange.FINITE);
    }

    /** Checks r, and that queries of this shape can be encoded. */
    public Code {
        shape = new ArrayList<>(shape);
        if (r < 1 || r > plan.code().r()) {
            throw new IllegalArgumentException(
                    "r must be 1 to the " + plan.code().r() + " parity models that there are, got " + r);
        }
        var unused = new QueryEncoder(plan.code(), plan.encoding(), shape);
    }

    /** The number of queries of a full group. */
    public int k() {
        return plan.code().k();
    }

    QueryEncoder encoder() {
        return new QueryEncoder(plan.code(), plan.encoding(), shape);
    }

    PredictionDecoder decoder() {
        return new PredictionDecoder(plan.code(), plan.target());
    }
}
