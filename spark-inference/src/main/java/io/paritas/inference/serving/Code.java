/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.PredictionDecoder;
import io.paritas.inference.parity.QueryEncoder;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * How queries are protected by parity models.
 *
 * @param plan by which the parity models were made; k is its k
 * @param r how many of them are used, the first ones
 * @param shape of a query
 */
public record Code(ParityPlan plan, int r, List<Integer> shape) implements Serializable {
    private static final long serialVersionUID = 1;

    /** Checks the numbers, and that such queries can be encoded. */
    public Code {
        shape = new ArrayList<>(shape);
        if (r < 1 || r > plan.code().r()) {
            throw new IllegalArgumentException(
                    "there are " + plan.code().r() + " parity models, so that 1 to as many can be used, got r = " + r);
        }
        var unused = new QueryEncoder(plan.code(), plan.encoding(), shape);
    }

    /** Queries of a full group. */
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
