/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import io.paritas.PublicApi;
import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import io.paritas.spark.ec.store.ErasureCodedRDD;
import io.paritas.spark.ec.store.ErasureCodedStore;
import io.paritas.spark.ec.store.Health;
import io.paritas.spark.ec.store.StoreSettings;
import io.paritas.spark.ec.store.UnitMetrics;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.util.CallSite;

/**
 * Rows that survive the loss of executors: kept once, serialised, in the memory of executors and on disk where memory is short,
 * with r parity units for each k partitions on other executors. With {@code rs-4-1}, five executors keep rows at 1.25 times
 * their size, and lose one of them without computing anything again.
 *
 * <p>The task that reads a lost partition decodes it from others of its stripe, and a live executor rebuilds it in the
 * background. Where more than r units of a stripe are lost, Spark computes the lost rows from their lineage, as for its own
 * caches; if the lineage does not always give the same rows, neither does this.
 *
 * <p>A code is named as everywhere in Paritas: {@code rs-4-2}, {@code paritas-6-3}, {@code xor-4}, {@code lrc-12-2-2}. It
 * protects from the loss of any r executors if there are k + r of them; {@code lrc-K-R-L}, of any R. With fewer, an executor
 * keeps several units of a stripe, and the log says how many executors may be lost.
 *
 * <p>Thread-safe.
 */
@PublicApi
public final class ErasureCoded {
    /** What is between the program and this class. */
    private static final List<String> LIBRARIES = List.of("java.", "jdk.", "scala.", "py4j.", "org.apache.spark.");

    private ErasureCoded() {}

    /**
     * Computes rows and keeps them erasure-coded: a job like {@code count()}. They are protected when this returns.
     *
     * @param <T> type of a row
     * @param rows the rows to keep
     * @param code name of the code, such as {@code rs-4-2}
     * @return the same rows, read from executors; {@link #unpersist} drops them
     * @throws IllegalArgumentException if there is no such code, or a setting {@code spark.paritas.ec.*} has a wrong value
     */
    public static <T> Dataset<T> persist(Dataset<T> rows, String code) {
        String name = caller(rows.sparkSession().sparkContext())
                .map("Dataset at "::concat)
                .orElse("Dataset");
        return ErasureCodedDatasets.persist(rows, name, CodeName.parse(code));
    }

    /**
     * The line of the program that calls this class, unless the program has another name for what it does now. Lines of Python are not
     * known.
     */
    private static Optional<String> caller(SparkContext context) {
        String given = context.getLocalProperty(CallSite.SHORT_FORM());
        return given != null
                ? Optional.of(given)
                : StackWalker.getInstance().walk(frames -> frames.filter(frame -> isOfProgram(frame.getClassName()))
                        .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                        .findFirst());
    }

    private static boolean isOfProgram(String caller) {
        return !caller.equals(ErasureCoded.class.getName())
                && LIBRARIES.stream().noneMatch(caller::startsWith);
    }

    /**
     * Computes elements and keeps them erasure-coded: a job like {@code count()}. They are protected when this returns.
     *
     * @param <T> type of an element
     * @param elements the elements to keep
     * @param code name of the code, such as {@code rs-4-2}
     * @return the same elements, read from executors; {@link JavaRDD#unpersist} drops them. It refuses {@code cache},
     *     {@code persist}, {@code checkpoint} and {@code localCheckpoint}
     * @throws IllegalArgumentException if there is no such code, or a setting {@code spark.paritas.ec.*} has a wrong value
     */
    public static <T> JavaRDD<T> persist(JavaRDD<T> elements, String code) {
        StoreSettings settings = StoreSettings.of(elements.context().getConf());
        ErasureCodedRDD<T> kept = ErasureCodedStore.of(elements.rdd(), CodeName.parse(code), settings)
                .rdd();
        return new JavaRDD<>(kept, kept.elementClassTag());
    }

    /**
     * Drops rows from all executors. Waits at most {@code spark.cleaner.referenceTracking.blocking.timeout} for it: what a task
     * still reads then goes when the task ends.
     *
     * @param rows a Dataset that {@link #persist(Dataset, String)} has returned, or a view of one as a table
     * @throws IllegalArgumentException if it is another one
     */
    public static void unpersist(Dataset<?> rows) {
        store(rows).close();
    }

    /**
     * Returns what is stored of rows, and what is missing now: nothing, once they are dropped.
     *
     * @param rows a Dataset that {@link #persist(Dataset, String)} has returned, or a view of one as a table
     * @throws IllegalArgumentException if it is another one
     * @throws IllegalStateException if the application has ended, and the rows are not dropped
     */
    public static Health health(Dataset<?> rows) {
        return store(rows).health();
    }

    /**
     * Returns counts of the partitions and units that tasks have decoded, recomputed and found damaged so far.
     *
     * @param rows a Dataset that {@link #persist(Dataset, String)} has returned, or a view of one as a table
     * @throws IllegalArgumentException if it is another one
     */
    public static UnitMetrics metrics(Dataset<?> rows) {
        return store(rows).rdd().metrics();
    }

    private static ErasureCodedStore<?> store(Dataset<?> rows) {
        return ErasureCodedDatasets.store(rows)
                .orElseThrow(() -> new IllegalArgumentException(
                        "rows must be a Dataset that ErasureCoded.persist has returned, or a view of one, got "
                                + ErasureCodedDatasets.plan(rows).nodeName()));
    }
}
