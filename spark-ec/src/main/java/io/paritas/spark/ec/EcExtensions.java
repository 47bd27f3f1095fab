/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.PublicApi;
import io.paritas.spark.ec.cache.ErasureCodedScans;
import io.paritas.spark.ec.cache.KeptViewCheck;
import io.paritas.spark.ec.sql.Registration;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * The SQL functions {@code ec_encode}, {@code ec_decode}, {@code ec_verify}, {@code ec_repair}, {@code ec_stripe} and
 * {@code ec_unstripe}, and plans with metrics of erasure-coded rows. Sessions find this class by {@code ServiceLoader} if the
 * jar is on the class path; {@code spark.sql.extensions} can name it as well. Stateless.
 */
@PublicApi
public final class EcExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
        implements SparkSessionExtensionsProvider {

    /** Creates the extensions; Spark does so by name. */
    public EcExtensions() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        Registration.register(extensions);
        extensions.injectPlannerStrategy(ErasureCodedScans::new);
        extensions.injectCheckRule(session -> new KeptViewCheck());
        return BoxedUnit.UNIT;
    }
}
