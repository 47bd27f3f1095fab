/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.spark.ec.settings.EcSettings;
import io.paritas.spark.plugin.UnknownSettings;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.internal.SQLConf;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Registers the functions in sessions. */
public final class Registration {
    private Registration() {}

    /** Adds the functions. */
    public static void register(SparkSessionExtensions extensions) {
        for (Signature signature : Signature.values()) {
            extensions.injectFunction(new Tuple3<>(
                    new FunctionIdentifier(signature.function()),
                    info(signature),
                    arguments -> call(signature, arguments)));
        }
    }

    private static Expression call(Signature signature, Seq<Expression> arguments) {
        return signature == Signature.STRIPE
                ? new StripeAggregate(arguments, 0, 0)
                : new CodeCall(signature, arguments, onError());
    }

    /** The setting of the session; SQLConf forgets it in views. Warns of names in the session that are no settings. */
    private static String onError() {
        UnknownSettings.warn(
                CollectionConverters.asJava(SQLConf.get().getAllConfs()).keySet(), List.of(EcSettings.GROUP));
        return SparkSession.active().conf().get(EcSettings.ON_ERROR.key(), EcSettings.ON_ERROR.defaultText());
    }

    private static ExpressionInfo info(Signature signature) {
        Class<?> type = signature == Signature.STRIPE ? StripeAggregate.class : CodeCall.class;
        return new ExpressionInfo(
                type.getName(),
                null,
                signature.function(),
                signature.usage(),
                signature.arguments(),
                signature.examples(),
                "",
                signature == Signature.STRIPE ? "agg_funcs" : "binary_funcs",
                "",
                "",
                "built-in");
    }
}
