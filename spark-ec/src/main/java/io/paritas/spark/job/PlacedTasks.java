/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Tasks that each want a place, and get a string: Kryo always knows those, registered or not. */
public final class PlacedTasks {
    private PlacedTasks() {}

    /**
     * Checks that Spark does not copy tasks that never end.
     *
     * @throws IllegalArgumentException if it is set to start copies of tasks by their duration
     */
    public static void requireNoCopies(SparkConf conf) {
        String threshold = "spark.speculation.task.duration.threshold";
        if (conf.getBoolean("spark.speculation", false) && conf.contains(threshold)) {
            throw new IllegalArgumentException("spark.speculation and " + threshold
                    + " must not both be set, because Spark would start copies of tasks that never end: unset one");
        }
    }

    /**
     * The input of a task.
     *
     * @param locations where it is to run, as Spark writes locations; empty for anywhere
     */
    public static JavaRDD<String> of(SparkContext context, String input, List<String> locations) {
        return of(context, Map.of(input, locations));
    }

    /**
     * The inputs of tasks, in the order of the map.
     *
     * @param locations where each is to run, as Spark writes locations; empty for anywhere
     */
    public static JavaRDD<String> of(SparkContext context, Map<String, List<String>> locations) {
        ClassTag<String> type = ClassTag$.MODULE$.apply(String.class);
        List<Tuple2<String, Seq<String>>> partitions = locations.entrySet().stream()
                .map(task -> new Tuple2<>(task.getKey(), sequence(task.getValue())))
                .toList();
        return JavaRDD.fromRDD(context.makeRDD(sequence(partitions), type), type);
    }

    /** The location of an executor, as Spark writes it. */
    public static String location(String host, String executor) {
        return "executor_" + host + "_" + executor;
    }

    private static <T> Seq<T> sequence(List<T> elements) {
        return CollectionConverters.asScala(elements).toList();
    }
}
