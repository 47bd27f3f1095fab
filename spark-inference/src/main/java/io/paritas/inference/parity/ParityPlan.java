/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Model;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The parity models to train.
 *
 * @param code k and r
 * @param encoding how queries are combined
 * @param target what parity models answer
 */
@PublicApi
public record ParityPlan(Combinations code, Encoding encoding, Target target) implements GroupCode {
    private static final long serialVersionUID = 1;

    /** Checks that the encoding and the target fit. */
    public ParityPlan {
        encoding.require(code);
        if (target == Target.DISTRIBUTION && encoding != Encoding.CONCATENATION) {
            throw new IllegalArgumentException("the target DISTRIBUTION needs the encoding CONCATENATION, got "
                    + encoding + ": use the targets OUTPUTS or LABELS");
        }
    }

    @Override
    public int k() {
        return code.k();
    }

    @Override
    public int r() {
        return code.r();
    }

    @Override
    public void require(List<Integer> shape) {
        encoding.require(code, shape);
    }

    @Override
    public QueryEncoder encoder(List<Integer> shape, Function<String, Model> networks) {
        return new QueryEncoder(code, encoding, shape);
    }

    @Override
    public PredictionDecoder decoder(Function<String, Model> networks) {
        return new PredictionDecoder(code, target);
    }

    @Override
    public Optional<Combinations> sums() {
        return encoding == Encoding.ADDITION ? Optional.of(code) : Optional.empty();
    }

    @Override
    public Optional<Residual> residual() {
        return Optional.of(new Residual(code, target));
    }
}
