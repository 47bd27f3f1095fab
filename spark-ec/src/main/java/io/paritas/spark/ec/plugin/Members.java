/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.plugin;

import java.util.Collection;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.internal.config.package$;
import scala.jdk.javaapi.CollectionConverters;

/** The other plugins of Paritas on the class path. */
final class Members {
    private static final String PACKAGE = "io.paritas.";

    private Members() {}

    /** Those that Spark does not start itself, by the names of their classes. */
    static Map<String, SparkPlugin> of(SparkConf conf) {
        Set<String> named = Set.copyOf(
                CollectionConverters.asJava(conf.get(package$.MODULE$.PLUGINS()).toSet()));
        Map<String, SparkPlugin> members = new TreeMap<>();
        ServiceLoader.load(SparkPlugin.class).stream()
                .filter(provider -> provider.type().getName().startsWith(PACKAGE))
                .filter(provider -> !named.contains(provider.type().getName()))
                .forEach(provider -> members.put(provider.type().getName(), provider.get()));
        return members;
    }

    /** Calls all, whichever of them fails; throws what the first one threw. */
    static <P> void each(Collection<P> members, Consumer<P> call) {
        RuntimeException failure = null;
        for (P member : members) {
            try {
                call.accept(member);
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
