/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.collection.OpenHashSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Spark's resolver of shuffle blocks, which also answers {@linkplain RequestId requests} of other executors and of the driver. */
final class CodedBlockResolver extends IndexShuffleBlockResolver {
    private static final Logger LOG = LoggerFactory.getLogger(CodedBlockResolver.class);

    /** No attempt of a map task: stands for all parity of a shuffle. */
    private static final long PARITY = -1;

    private final TransportConf transport;
    private final ParityFiles parity = new ParityFiles(
            name -> SparkEnv.get().blockManager().diskBlockManager().getFile(name));

    CodedBlockResolver(SparkConf conf, ConcurrentMap<Object, OpenHashSet<Object>> maps) {
        super(conf, null, maps);
        SecurityManager security = new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
        this.transport = SparkTransportConf.fromSparkConf(
                conf, "shuffle", 0, Option.empty(), Option.apply(security.getRpcSSLOptions()));
    }

    @Override
    public ManagedBuffer getBlockData(BlockId id, Option<String[]> folders) {
        Optional<RequestId> request = RequestId.of(id);
        if (request.isEmpty()) {
            Optional<ManagedBuffer> decoded = isMissing(id) ? decoded(id) : Optional.empty();
            return decoded.orElseGet(() -> super.getBlockData(id, folders));
        }
        try {
            return answer(request.get());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a reducer of this executor reads a file that is not here any more. Other executors decode by themselves. */
    private boolean isMissing(BlockId id) {
        return TaskContext.get() != null
                && MapOutputRange.of(id)
                        .filter(range ->
                                !getDataFile(range.shuffle(), range.map()).exists()
                                        || !getIndexFile(range.shuffle(), range.map(), Option.empty())
                                                .exists())
                        .isPresent();
    }

    /** Empty if it cannot be decoded: Spark may have it in its fallback storage, where it looks when the file is not here. */
    private static Optional<ManagedBuffer> decoded(BlockId id) {
        try {
            ShuffleExecutor executor = ShuffleExecutor.current().orElse(null);
            return executor == null
                    ? Optional.empty()
                    : Optional.of(new NioManagedBuffer(executor.decode(id, executor.reads(TaskContext.get()))
                            .get()));
        } catch (ExecutionException e) {
            LOG.info("{} is not here, and is not decoded: {}", id, e.getCause().getMessage());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private ManagedBuffer answer(RequestId request) throws IOException {
        return switch (request.kind()) {
            case DATA -> range(getDataFile(request.shuffle(), request.file()), request);
            case PARITY -> range(parity.parity(request.shuffle(), request.file()), request);
            case CONTENTS -> new NioManagedBuffer(parity.contents(request));
            case INDEX -> whole(getIndexFile(request.shuffle(), request.file(), Option.empty()));
            case MAKE_PARITY, REBUILD, DELETE_PARITY ->
                throw new IOException("an order must be uploaded, got a request for its bytes");
        };
    }

    private ManagedBuffer range(File file, RequestId request) throws FileNotFoundException {
        long end = Math.min(request.end(), length(file));
        return new FileSegmentManagedBuffer(transport, file, request.start(), Math.max(0, end - request.start()));
    }

    private ManagedBuffer whole(File file) throws FileNotFoundException {
        return new FileSegmentManagedBuffer(transport, file, 0, length(file));
    }

    private static long length(File file) throws FileNotFoundException {
        if (!file.exists()) {
            throw new FileNotFoundException(file + " is not here");
        }
        return file.length();
    }

    @Override
    public StreamCallbackWithID putShuffleBlockAsStream(BlockId id, SerializerManager serializers) {
        return RequestId.of(id)
                .<StreamCallbackWithID>map(order -> new OrderCallback(id, order))
                .orElseGet(() -> super.putShuffleBlockAsStream(id, serializers));
    }

    /** Takes an order of the driver. */
    private final class OrderCallback implements StreamCallbackWithID {
        private final BlockId id;
        private final RequestId order;
        private final ByteArrayOutputStream group = new ByteArrayOutputStream();

        OrderCallback(BlockId id, RequestId order) {
            this.id = id;
            this.order = order;
        }

        @Override
        public String getID() {
            return id.name();
        }

        @Override
        public void onData(String stream, ByteBuffer bytes) {
            byte[] some = new byte[bytes.remaining()];
            bytes.get(some);
            group.writeBytes(some);
        }

        @Override
        public void onComplete(String stream) throws IOException {
            ShuffleExecutor executor = ShuffleExecutor.current()
                    .orElseThrow(() ->
                            new IOException("an executor that makes parity must have the plugin of Paritas, this one"
                                    + " has not, or ends"));
            executor.background().order(order, group.toByteArray(), CodedBlockResolver.this);
        }

        @Override
        public void onFailure(String stream, Throwable cause) {
            group.reset();
        }
    }

    ParityFiles parity() {
        return parity;
    }

    /** What this executor gives away before it leaves: outputs, and the parity of each shuffle, which looks like an output. */
    @Override
    public Seq<ShuffleBlockInfo> getStoredShuffles() {
        List<ShuffleBlockInfo> all = new ArrayList<>(CollectionConverters.asJava(super.getStoredShuffles()));
        parity.shuffles().forEach(shuffle -> all.add(new ShuffleBlockInfo(shuffle, PARITY)));
        return CollectionConverters.asScala(all).toList();
    }

    /** Returns once nobody needs a file here any more, with nothing, or with a file that has no parity, which Spark copies. */
    @Override
    public scala.collection.immutable.List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(ShuffleBlockInfo file) {
        boolean copied = file.mapId() != PARITY;
        ShuffleExecutor executor = ShuffleExecutor.current().orElse(null);
        if (executor != null) {
            copied &= executor.parting(
                            copied
                                    ? ShuffleMessage.LEAVING.of(file.shuffleId(), file.mapId(), (Object) here())
                                    : ShuffleMessage.LEAVING_WITH_PARITY.of(file.shuffleId(), PARITY, (Object) here()))
                    == Departures.Parting.COPY;
        }
        return copied ? super.getMigrationBlocks(file) : scala.collection.immutable.List$.MODULE$.empty();
    }

    private static Object[] here() {
        return ShuffleMessage.executor(SparkEnv.get().blockManager().blockManagerId());
    }

    /** A file for an unfinished map output: on the disk where {@link #commit} puts it, which can only rename. */
    File newFile(int shuffle, long map) {
        return createTempFile(getDataFile(shuffle, map));
    }

    /**
     * Takes the files of a map output, which another executor has made and lost.
     *
     * @param lengths bytes of each partition
     * @param data a {@linkplain #newFile new file} for that output; it is renamed
     * @throws IOException if the shuffle is over
     */
    void commit(int shuffle, long map, long[] lengths, File data) throws IOException {
        writeMetadataFileAndCommit(shuffle, map, lengths, new long[0], data);
        OpenHashSet<Object> maps = taskIdMapsForShuffle()
                .computeIfAbsent(shuffle, same -> new OpenHashSet<>(ClassTag$.MODULE$.apply(long.class)));
        synchronized (maps) {
            maps.add(map);
        }
        if (parity.isOver(shuffle)) {
            removeDataByMap(shuffle, map);
            throw new IOException("shuffle " + shuffle + " is over, its map outputs are not kept");
        }
    }

    /** Deletes the parity files of a shuffle. */
    void removeParity(int shuffle) {
        parity.remove(shuffle);
    }
}
