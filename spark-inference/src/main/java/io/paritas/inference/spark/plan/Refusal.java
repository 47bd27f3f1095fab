/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import scala.Option;
import scala.collection.immutable.Map$;

/** Refuses queries as Spark's analyzer does. */
final class Refusal {
    private Refusal() {}

    /** Throws Spark's exception. It is checked, but Spark's interfaces do not declare it. Never returns. */
    static RuntimeException of(String message) {
        throw Refusal.<RuntimeException>undeclared(new AnalysisException(
                message,
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Map$.MODULE$.<String, String>empty(),
                new QueryContext[0]));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E undeclared(Exception e) throws E {
        throw (E) e;
    }
}
