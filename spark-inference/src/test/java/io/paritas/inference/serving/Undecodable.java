/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Model;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.parity.ParityPlan;
import java.util.List;
import java.util.function.Function;

/** A sum of queries whose decoder fails, as a network does for which memory is short. */
record Undecodable(ParityPlan plan, Throwable failure) implements GroupCode {
    @Override
    public int k() {
        return plan.k();
    }

    @Override
    public int r() {
        return plan.r();
    }

    @Override
    public void require(List<Integer> shape) {
        plan.require(shape);
    }

    @Override
    public GroupEncoder encoder(List<Integer> shape, Function<String, Model> networks) {
        return plan.encoder(shape, networks);
    }

    @Override
    public GroupDecoder decoder(Function<String, Model> networks) {
        return (predictions, answers) -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        };
    }
}
