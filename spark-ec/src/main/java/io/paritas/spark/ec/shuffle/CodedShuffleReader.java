/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator$;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Function2;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * Spark's {@code BlockStoreShuffleReader}, statement by statement, with a client that decodes what it cannot fetch, and with streams
 * that decode what is damaged.
 *
 * @param <K> keys
 * @param <C> combined values
 */
final class CodedShuffleReader<K, C> implements ShuffleReader<K, C> {
    private static final long MIB = 1 << 20;

    private final ShuffleDependency<K, ?, C> dependency;
    private final Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks;
    private final TaskContext context;
    private final ShuffleReadMetricsReporter metrics;
    private final ShuffleExecutor executor;
    private final TaskReads reads;
    private final Batches batches;
    private final SparkConf conf = SparkEnv.get().conf();

    /** Whether consecutive blocks of an output may be fetched as one. */
    enum Batches {
        ALLOWED,
        FORBIDDEN
    }

    CodedShuffleReader(
            ShuffleDependency<K, ?, C> dependency,
            Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
            TaskContext context,
            ShuffleReadMetricsReporter metrics,
            ShuffleExecutor executor,
            Batches batches) {
        this.dependency = dependency;
        this.blocks = blocks;
        this.context = context;
        this.metrics = metrics;
        this.executor = executor;
        this.reads = executor.reads(context);
        this.batches = batches;
    }

    @SuppressWarnings("unchecked")
    private <T> T get(ConfigEntry<?> entry) {
        return (T) conf.get(entry);
    }

    private boolean batched() {
        boolean compressed = get(package$.MODULE$.SHUFFLE_COMPRESS());
        boolean oldProtocol = get(package$.MODULE$.SHUFFLE_USE_OLD_FETCH_PROTOCOL());
        boolean encrypted = get(package$.MODULE$.IO_ENCRYPTION_ENABLED());
        return batches == Batches.ALLOWED
                && dependency.serializer().supportsRelocationOfSerializedObjects()
                && (!compressed
                        || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                                CompressionCodec$.MODULE$.createCodec(conf)))
                && !oldProtocol
                && !encrypted;
    }

    private Iterator<Tuple2<BlockId, InputStream>> streams() {
        SparkEnv env = SparkEnv.get();
        Function2<BlockId, InputStream, InputStream> wrap =
                (block, raw) -> wrapped(env.serializerManager(), block, raw);
        return new ShuffleBlockFetcherIterator(
                        context,
                        new DecodingClient(env.blockManager().blockStoreClient(), executor, reads),
                        env.blockManager(),
                        env.mapOutputTracker(),
                        blocks,
                        wrap,
                        this.<Long>get(package$.MODULE$.REDUCER_MAX_SIZE_IN_FLIGHT()) * MIB,
                        this.<Integer>get(package$.MODULE$.REDUCER_MAX_REQS_IN_FLIGHT()),
                        this.<Integer>get(package$.MODULE$.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
                        this.<Long>get(package$.MODULE$.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
                        this.<Integer>get(package$.MODULE$.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
                        this.<Boolean>get(package$.MODULE$.SHUFFLE_DETECT_CORRUPT()),
                        this.<Boolean>get(package$.MODULE$.SHUFFLE_DETECT_CORRUPT_MEMORY()),
                        this.<Boolean>get(package$.MODULE$.SHUFFLE_CHECKSUM_ENABLED()),
                        this.<String>get(package$.MODULE$.SHUFFLE_CHECKSUM_ALGORITHM()),
                        metrics,
                        batched(),
                        new SystemClock())
                .toCompletionIterator();
    }

    /** Bytes that are neither compressed nor encrypted stay as they are: nobody would notice damage. */
    private InputStream wrapped(SerializerManager serializers, BlockId block, InputStream raw) {
        boolean checked = this.<Boolean>get(package$.MODULE$.SHUFFLE_DETECT_CORRUPT())
                && (this.<Boolean>get(package$.MODULE$.SHUFFLE_COMPRESS()) || serializers.encryptionEnabled());
        if (!checked) {
            return serializers.wrapStream(block, raw);
        }
        return new RepairedStream(
                block.name(), raw, bytes -> serializers.wrapStream(block, bytes), () -> executor.decode(block, reads));
    }

    @Override
    public Iterator<Product2<K, C>> read() {
        SerializerInstance serializer = dependency.serializer().newInstance();
        Iterator<Tuple2<Object, Object>> records = streams()
                .<Tuple2<Object, Object>>flatMap(
                        block -> serializer.deserializeStream(block._2()).asKeyValueIterator())
                .map(row -> {
                    metrics.incRecordsRead(1);
                    return row;
                });
        Iterator<Tuple2<Object, Object>> counted = CompletionIterator$.MODULE$.apply(records, () -> {
            context.taskMetrics().mergeShuffleReadMetrics();
            return BoxedUnit.UNIT;
        });
        // A task that is cancelled ends here, and at the end, where sorting may have consumed this one.
        InterruptibleIterator<Tuple2<Object, Object>> interruptible = new InterruptibleIterator<>(context, counted);
        Iterator<Product2<K, C>> result = combined(interruptible);
        return result instanceof InterruptibleIterator ? result : new InterruptibleIterator<>(context, result);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Iterator<Product2<K, C>> combined(Iterator<Tuple2<Object, Object>> records) {
        Iterator raw = records;
        Option<? extends Aggregator> aggregator = dependency.aggregator();
        if (dependency.keyOrdering().isDefined()) {
            ExternalSorter sorter = new ExternalSorter(
                    context,
                    sorting((Option) aggregator),
                    Option.empty(),
                    dependency.keyOrdering(),
                    dependency.serializer(),
                    new RowBasedChecksum[0]);
            return sorter.insertAllAndUpdateMetrics(raw);
        }
        if (aggregator.isEmpty()) {
            return raw;
        }
        Aggregator combiner = aggregator.get();
        return dependency.mapSideCombine()
                ? combiner.combineCombinersByKey(raw, context)
                : combiner.combineValuesByKey(raw, context);
    }

    /** What a sorter does with values of one key: those of map tasks that have combined theirs are combined values. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Option<Aggregator> sorting(Option<Aggregator> aggregator) {
        if (aggregator.isEmpty() || !dependency.mapSideCombine()) {
            return aggregator;
        }
        Function2 merge = aggregator.get().mergeCombiners();
        return Option.apply(new Aggregator(value -> value, merge, merge));
    }
}
