/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.parity;

import io.paritas.PublicApi;
import io.paritas.inference.Bundle;
import io.paritas.inference.ModelFile;
import java.util.Map;
import java.util.stream.Collectors;

/** The code of a deployed model's predictions, with its models: {@link ParityModels}, or a learned code. Immutable. */
@PublicApi
public interface PredictionCode {

    /** The models and their descriptor. */
    Bundle bundle();

    /** How groups are encoded and decoded. */
    GroupCode plan();

    /**
     * The model that answers a parity query.
     *
     * @param parity number of the parity query, 0 to r − 1
     * @param deployed the deployed model
     */
    ModelFile answering(int parity, ModelFile deployed);

    /** The networks that encode and decode, by role; none if that is arithmetic. */
    default Map<String, ModelFile> networks() {
        return plan().networks().stream().collect(Collectors.toMap(role -> role, bundle()::model));
    }

    /** The range of the inputs that the code was trained on; all finite values if the descriptor has none. */
    default InputRange range() {
        return InputRange.of(bundle());
    }

    /** Whether reconstructions differ from predictions by rounding only. */
    default boolean exact() {
        return false;
    }

    /**
     * Above which residual a group is suspect.
     *
     * @param rate of false alarms among clean groups, above 0 and at most a half
     * @return {@link ResidualBound#NONE} if that is not known
     */
    default ResidualBound residualBound(double rate) {
        return ResidualBound.NONE;
    }
}
