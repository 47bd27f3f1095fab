/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import io.paritas.inference.recommend.data.Tables;
import io.paritas.inference.recommend.model.DlrmShape;
import io.paritas.inference.recommend.model.InitialRows;
import io.paritas.inference.recommend.model.Interaction;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import java.util.List;

/** A plan of one server and one worker. */
final class SmallPlan {
    static final Tables TABLES = Tables.of(10);

    private SmallPlan() {}

    static TrainingPlan plan() {
        DlrmShape shape = new DlrmShape(1, List.of(4), TABLES, 4, Interaction.CONCATENATION, List.of(4));
        Optimizer sgd = new Optimizer.Sgd(1);
        return new TrainingPlan(
                shape,
                new TrainingPlan.Servers(1, Redundancy.none(), sgd, sgd),
                new TrainingPlan.Work(1, 5, 1, 1),
                InitialRows.of(shape, 1),
                1);
    }
}
