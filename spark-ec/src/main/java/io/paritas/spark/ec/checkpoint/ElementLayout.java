/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;

/**
 * The layout of elements in bytes: that of the application's serialiser, which another one cannot read. Kryo's bytes depend on
 * its settings and on the registered classes, Spark's own among them, in their order.
 */
final class ElementLayout {
    private static final Pattern MINOR = Pattern.compile("([0-9]+\\.[0-9]+)\\..*");
    private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
    private static final List<String> KRYO_SETTINGS = List.of(
            "spark.kryo.classesToRegister",
            "spark.kryo.referenceTracking",
            "spark.kryo.registrator",
            "spark.kryo.unsafe");

    private ElementLayout() {}

    /** The layout in an application, such as {@code org.apache.spark.serializer.JavaSerializer of Spark 4.2}. */
    static String of(SparkConf conf, String sparkVersion) {
        Matcher minor = MINOR.matcher(sparkVersion);
        String serializer = conf.get("spark.serializer", "org.apache.spark.serializer.JavaSerializer");
        Stream<String> settings = serializer.equals(KRYO) ? KRYO_SETTINGS.stream() : Stream.empty();
        return Stream.concat(
                        Stream.of(serializer + " of Spark " + (minor.matches() ? minor.group(1) : sparkVersion)),
                        settings.filter(conf::contains).map(setting -> setting + "=" + conf.get(setting)))
                .collect(Collectors.joining(", "));
    }
}
