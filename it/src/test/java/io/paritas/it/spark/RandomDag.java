/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A random graph of shuffles, whose answer depends on nothing but its seed.
 *
 * @param seed of the graph and of its rows
 * @param taskMillis how long each map task takes besides, 0 or more
 */
record RandomDag(long seed, int taskMillis) {
    private static final int MAPS = 7;
    private static final int ROWS = 1_500;
    private static final int KEYS = 700;
    private static final int DEPTH = 3;

    /** All rows of the answer, sorted. */
    List<String> answer(JavaSparkContext context) {
        Random random = new Random(seed);
        return node(context, random, DEPTH).map(row -> row._1() + " " + row._2()).collect().stream()
                .sorted()
                .toList();
    }

    private JavaPairRDD<Integer, Long> node(JavaSparkContext context, Random random, int depth) {
        if (depth == 0) {
            return slow(rows(context, random.nextLong()));
        }
        JavaPairRDD<Integer, Long> child = node(context, random, depth - 1);
        int partitions = 3 + random.nextInt(6);
        return slow(shuffled(context, random, depth, child, partitions));
    }

    private JavaPairRDD<Integer, Long> slow(JavaPairRDD<Integer, Long> rows) {
        int millis = taskMillis;
        return millis == 0
                ? rows
                : rows.mapPartitionsToPair(
                        all -> {
                            TimeUnit.MILLISECONDS.sleep(millis);
                            return all;
                        },
                        true);
    }

    private JavaPairRDD<Integer, Long> shuffled(
            JavaSparkContext context, Random random, int depth, JavaPairRDD<Integer, Long> child, int partitions) {
        return switch (random.nextInt(8)) {
            case 0 -> child.reduceByKey(Long::sum, partitions);
            case 1 -> child.groupByKey(partitions).mapValues(RandomDag::sum);
            case 2 -> child.partitionBy(new HashPartitioner(partitions)).mapValues(value -> value * 31);
            case 3 -> child.sortByKey(true, partitions);
            case 4 -> mixed(child.repartition(partitions));
            case 5 -> child.distinct(partitions);
            case 6 ->
                child.reduceByKey(Long::sum, partitions)
                        .join(node(context, random, depth - 1).reduceByKey((a, b) -> a ^ b, partitions), partitions)
                        .mapValues(both -> both._1() * 31 + both._2());
            default ->
                child.cogroup(node(context, random, depth - 1), partitions)
                        .mapValues(both -> sum(both._1()) - 7 * sum(both._2()));
        };
    }

    /** After a shuffle whose map tasks may give other rows to reducers when they run again. */
    private static JavaPairRDD<Integer, Long> mixed(JavaPairRDD<Integer, Long> rows) {
        return rows.mapToPair(row -> new Tuple2<>(row._1() / 2, row._2() + row._1()));
    }

    private static long sum(Iterable<Long> values) {
        return StreamSupport.stream(values.spliterator(), false)
                .mapToLong(Long::longValue)
                .sum();
    }

    private static JavaPairRDD<Integer, Long> rows(JavaSparkContext context, long seed) {
        return context.parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
                .flatMapToPair(map -> rows(map, new Random(seed + map)));
    }

    /** Of different lengths, and one is empty. */
    private static Iterator<Tuple2<Integer, Long>> rows(int map, Random random) {
        return IntStream.range(0, map == 3 ? 0 : ROWS + map * 100)
                .mapToObj(row -> new Tuple2<>(random.nextInt(KEYS), random.nextLong()))
                .iterator();
    }
}
