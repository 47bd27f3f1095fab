/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import io.paritas.inference.spark.plan.Registration;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * The SQL functions {@code predict}, {@code coded_predict} and {@code folded_predict}. Every session finds them by
 * {@code ServiceLoader} if the jar is on its class path; {@code spark.sql.extensions} can name this class as well.
 */
public final class InferenceExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
        implements SparkSessionExtensionsProvider {

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        Registration.register(extensions);
        return BoxedUnit.UNIT;
    }
}
