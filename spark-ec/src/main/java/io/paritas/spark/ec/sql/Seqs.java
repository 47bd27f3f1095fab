/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Converts between Scala's sequences and Java's lists. */
final class Seqs {
    private Seqs() {}

    static <T> Seq<T> of(List<? extends T> list) {
        return CollectionConverters.<T>asScala(List.<T>copyOf(list)).toSeq();
    }

    static <T> List<T> list(scala.collection.Seq<T> seq) {
        return CollectionConverters.asJava(seq);
    }
}
