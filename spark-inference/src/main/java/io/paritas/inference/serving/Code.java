/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.PooledModel;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The code of a group of queries.
 *
 * @param plan how groups are encoded and decoded; its k is the group's
 * @param r how many parity queries are used, from the first
 * @param shape of a query
 * @param range of the values of queries that are coded; others are answered without
 * @param networks that encode and decode, by role; none if that is arithmetic. Front ends run them on the CPU
 */
@PublicApi
public record Code(GroupCode plan, int r, List<Integer> shape, InputRange range, Map<String, ModelFile> networks)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** A code of queries with any finite values. */
    public Code(ParityPlan plan, int r, List<Integer> shape) {
        this(plan, r, shape, InputRange.FINITE, Map.of());
    }

    /** Checks r, and that queries of this shape can be encoded. */
    public Code {
        shape = new ArrayList<>(shape);
        networks = new LinkedHashMap<>(networks);
        if (r < 1 || r > plan.r()) {
            throw new IllegalArgumentException(
                    "r must be 1 to the " + plan.r() + " parity models that there are, got " + r);
        }
        plan.require(shape);
    }

    /** The number of queries of a full group. */
    public int k() {
        return plan.k();
    }

    /** An encoder. */
    public GroupEncoder encoder() {
        return plan.encoder(shape, this::network);
    }

    GroupDecoder decoder() {
        return plan.decoder(this::network);
    }

    private Model network(String role) {
        if (!networks.containsKey(role)) {
            throw new IllegalStateException("a front end needs the network '" + role + "', got " + networks.keySet());
        }
        return PooledModel.shared(networks.get(role), ModelEngines.onCpu(ModelOptions.DEFAULT));
    }

    /** The same for instances, which neither encode nor decode. */
    Code withoutNetworks() {
        return new Code(plan, r, shape, range, Map.of());
    }
}
