/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.recommend.LocalSpark;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Samples stay in their partitions, wherever these lie. */
class InOrderTest {
    /** A partition for each number; the hosts that it lies on are letters. */
    private static JavaRDD<Integer> numbers(List<String> hosts) {
        SparkContext spark = LocalSpark.session().sparkContext();
        List<Tuple2<Integer, Seq<String>>> placed = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            placed.add(new Tuple2<>(i, seq(List.of(hosts.get(i).split("")))));
        }
        return spark.<Integer>makeRDD(seq(placed), ClassTag$.MODULE$.apply(Integer.class))
                .toJavaRDD();
    }

    private static <T> Seq<T> seq(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a a a a", "abc abc abc abc", "a b c d", "d c b a"})
    void partitionsStayWhereTheyAre(String hosts) {
        JavaRDD<Integer> numbers = numbers(List.of(hosts.split(" ")));
        assertThat(InOrder.coalesce(numbers, 4).glom().collect())
                .containsExactly(List.of(0), List.of(1), List.of(2), List.of(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a a a a a", "ab ba c a b"})
    void neighboursAreTogether(String hosts) {
        JavaRDD<Integer> numbers = numbers(List.of(hosts.split(" ")));
        assertThat(InOrder.coalesce(numbers, 2).glom().collect()).containsExactly(List.of(0, 1), List.of(2, 3, 4));
        assertThat(InOrder.coalesce(numbers, 3).glom().collect())
                .containsExactly(List.of(0), List.of(1, 2), List.of(3, 4));
    }
}
