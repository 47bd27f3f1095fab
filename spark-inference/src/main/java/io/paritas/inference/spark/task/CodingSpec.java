/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import io.paritas.inference.Model;
import io.paritas.inference.PooledModel;
import io.paritas.inference.parity.GroupCode;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.spark.driver.LatePolicy;
import io.paritas.inference.spark.driver.Layout;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.TaskContext;

/**
 * The code of a prediction.
 *
 * @param plan how groups are encoded and decoded
 * @param shape shape of one row of the model's input
 * @param range of the values that the code was trained on
 * @param models the models that answer the r parity queries in use; the plan may have more
 * @param networks the networks that encode and decode, by role
 * @param layout layout of the segments
 * @param late when tasks are late
 * @param bound above which residual a group is suspect
 */
public record CodingSpec(
        GroupCode plan,
        List<Integer> shape,
        InputRange range,
        List<ModelSource> models,
        Map<String, ModelSource> networks,
        Layout layout,
        LatePolicy late,
        ResidualBound bound)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Copies the collections into some that can be serialized. */
    public CodingSpec {
        shape = new ArrayList<>(shape);
        models = new ArrayList<>(models);
        networks = new HashMap<>(networks);
    }

    int k() {
        return layout.k();
    }

    /** An encoder for the task of this thread. */
    GroupEncoder encoder() {
        return plan.encoder(shape, pooled());
    }

    /** A decoder for the task of this thread. */
    GroupDecoder decoder() {
        return plan.decoder(pooled());
    }

    private Function<String, Model> pooled() {
        TaskContext task = TaskContext.get();
        return role -> new PooledModel(() -> networks.get(role).acquire(task));
    }
}
