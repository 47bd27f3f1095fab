/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.ErasureCodedRDD;
import io.paritas.spark.ec.store.Health;
import io.paritas.spark.ec.store.Protection;
import io.paritas.spark.ec.store.Terms;
import io.paritas.spark.ec.store.UnitMetrics;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;

/**
 * Rows that survive executors: kept once, serialised, in the memory of executors and on their disks where that is short, with
 * r parity units for each k partitions, on other executors. With {@code rs-4-1}, five executors keep rows at 1.25 times their
 * size and lose one of them without computing anything again.
 *
 * <p>A partition that is lost is decoded from others of its stripe by the task that reads it, and made again in the background
 * on an executor that lives. Where more than r units of a stripe are lost, Spark computes what is lost from what the rows were
 * made of, as for its own caches; if that does not always give the same rows, neither does this.
 *
 * <p>A code is named as everywhere in Paritas: {@code rs-4-2}, {@code paritas-6-3}, {@code xor-4}, {@code lrc-12-2-2}. It
 * protects from the loss of any r executors if there are k + r of them; with fewer, an executor keeps several units of a
 * stripe, and a line in the log says how many may be lost.
 *
 * <p>Thread-safe.
 */
public final class ErasureCoded {
    private ErasureCoded() {}

    /**
     * Computes the rows, and keeps them erasure-coded: a job like {@code count()}. When this returns they are protected.
     *
     * @param code such as {@code rs-4-2}
     * @return the same rows, read from where they are kept
     * @throws IllegalArgumentException if there is no such code, or the application has a wrong {@link EcSetting setting}
     */
    public static <T> Dataset<T> persist(Dataset<T> rows, String code) {
        Terms terms = ApplicationTerms.of(rows.sparkSession().sparkContext().getConf());
        return ErasureCodedDatasets.persist(rows, CodeName.parse(code), terms);
    }

    /**
     * Computes the elements, and keeps them erasure-coded: a job like {@code count()}. When this returns they are protected.
     *
     * @param code such as {@code rs-4-2}
     * @return the same elements, read from where they are kept; {@link JavaRDD#unpersist} drops them
     * @throws IllegalArgumentException if there is no such code, or the application has a wrong {@link EcSetting setting}
     */
    public static <T> JavaRDD<T> persist(JavaRDD<T> elements, String code) {
        Terms terms = ApplicationTerms.of(elements.context().getConf());
        ErasureCodedRDD<T> kept =
                Protection.of(elements.rdd(), CodeName.parse(code), terms).rdd();
        return new JavaRDD<>(kept, kept.elementClassTag());
    }

    /**
     * Drops rows that {@link #persist(Dataset, String)} has kept, from all executors.
     *
     * @throws IllegalArgumentException if they are not what it has returned
     */
    public static void unpersist(Dataset<?> rows) {
        protection(rows).close(true);
    }

    /**
     * What is kept of rows, and what is missing.
     *
     * @throws IllegalArgumentException if they are not what {@link #persist(Dataset, String)} has returned
     */
    public static Health health(Dataset<?> rows) {
        return protection(rows).health();
    }

    /**
     * What befell the units of rows so far, counted by tasks.
     *
     * @throws IllegalArgumentException if they are not what {@link #persist(Dataset, String)} has returned
     */
    public static UnitMetrics metrics(Dataset<?> rows) {
        return protection(rows).rdd().metrics();
    }

    private static Protection<?> protection(Dataset<?> rows) {
        return ErasureCodedDatasets.protection(rows)
                .orElseThrow(() -> new IllegalArgumentException(
                        "only what ErasureCoded.persist has returned is kept erasure-coded; got "
                                + rows.queryExecution().logical().nodeName() + ": keep the Dataset that it returns"));
    }
}
