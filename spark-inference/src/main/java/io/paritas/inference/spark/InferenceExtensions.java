/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.PublicApi;
import io.paritas.inference.spark.plan.Registration;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Adds the SQL functions {@code predict}, {@code coded_predict}, {@code folded_predict} and {@code cascade_predict} to a session.
 * Every session finds this class by {@code ServiceLoader} if the jar is on its class path; {@code spark.sql.extensions} can name it
 * as well. Stateless.
 */
@PublicApi
public final class InferenceExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
        implements SparkSessionExtensionsProvider {

    /** Registers the functions. */
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        Registration.register(extensions);
        return BoxedUnit.UNIT;
    }
}
