/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.paritas.spark.ec.WatchedFiles;
import io.paritas.spark.ecrm.placement.StripePlacement;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.BlockSpec;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.TableSpec;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {
    private static final Initializer INITIAL = new Initializer(3, -1, 1);
    /** More rows than fit into a chunk. */
    private static final long[] ROWS = {20_001, 7};

    @TempDir
    Path directory;

    private CheckpointFolder folder;

    @BeforeEach
    void open() throws IOException {
        folder = new CheckpointFolder(directory.toUri().toString(), new Configuration());
    }

    private static ModelSpec model(int servers, Redundancy redundancy) {
        return new ModelSpec(
                servers,
                redundancy,
                List.of(
                        new TableSpec(ROWS[0], 8, new Optimizer.Adagrad(0.1f, 1e-6f), INITIAL),
                        new TableSpec(ROWS[1], 2, new Optimizer.Sgd(0.1f), INITIAL)),
                List.of(
                        new BlockSpec(5, new Optimizer.Momentum(0.1f, 0.9f), INITIAL),
                        new BlockSpec(3, new Optimizer.Sgd(0.1f), INITIAL),
                        new BlockSpec(1, new Optimizer.Adam(0.1f, 0.9f, 0.999f, 1e-8f), INITIAL)));
    }

    /** The state of servers after some updates. */
    private static final class Cluster implements InitialState {
        final ModelSpec model;
        final StripePlacement stripes;
        final List<List<Shard>> shards = new ArrayList<>();
        final List<Block> blocks = new ArrayList<>();

        Cluster(ModelSpec model, InitialState initialState) {
            this.model = model;
            this.stripes = model.stripes();
            for (int table = 0; table < model.tables().size(); table++) {
                List<Shard> all = new ArrayList<>();
                for (int server = 0; server < model.servers(); server++) {
                    all.add(Shard.of(model, table, server, initialState));
                }
                shards.add(all);
            }
            for (int block = 0; block < model.blocks().size(); block++) {
                blocks.add(initialState.block(block));
            }
        }

        void update(int table, long row, float[] gradient) {
            long stripe = stripes.stripe(row);
            int unit = stripes.unit(row);
            Shard owner = shards.get(table).get(stripes.owner(row));
            int[] delta = new int[model.tables().get(table).words()];
            owner.difference(stripe, unit, gradient, 0, delta, 0);
            owner.add(stripe, unit, unit, delta, 0);
            for (int parity = stripes.k(); parity < stripes.units(); parity++) {
                shards.get(table).get(stripes.server(stripe, parity)).add(stripe, parity, unit, delta, 0);
            }
        }

        void updates() {
            Random random = new Random(1);
            for (int update = 0; update < 500; update++) {
                update(0, random.nextLong(ROWS[0]), new float[] {1, random.nextFloat(), 3, 4, 5, 6, 7, 8});
                update(1, random.nextLong(ROWS[1]), new float[] {random.nextFloat(), 2});
            }
            update(0, ROWS[0] - 1, new float[8]);
            blocks.get(0).update(new float[] {1, 2, 3, 4, 5});
            blocks.get(2).update(new float[] {1});
            blocks.get(2).update(new float[] {2});
        }

        @Override
        public int[] row(int table, long row) {
            if (row >= ROWS[table]) {
                return model.tables().get(table).fresh(row);
            }
            return shards.get(table).get(stripes.owner(row)).newest(stripes.stripe(row), stripes.unit(row));
        }

        @Override
        public Block block(int number) {
            return blocks.get(number);
        }

        long write(CheckpointFolder folder) throws IOException, InterruptedException {
            long number = folder.begin(0);
            for (int server = 0; server < model.servers(); server++) {
                int own = server;
                PartWriter.write(folder, number, model, server, new PartWriter.Snapshot() {
                    @Override
                    public int[][] rows(int table, long firstSlot, int count) {
                        return shards.get(table).get(own).rows(firstSlot, count);
                    }

                    @Override
                    public Block block(int block) {
                        return blocks.get(block);
                    }
                });
            }
            return number;
        }
    }

    private static Cluster trained(ModelSpec model) {
        Cluster cluster = new Cluster(model, InitialState.initial(model));
        cluster.updates();
        return cluster;
    }

    private Cluster written() throws IOException, InterruptedException {
        Cluster cluster = trained(model(5, Redundancy.coded(3)));
        folder.commit(cluster.write(folder), cluster.model);
        return cluster;
    }

    @Test
    void anyServersWithAnyRedundancyHaveWhatWasThere() throws Exception {
        Cluster before = written();
        for (ModelSpec model : List.of(
                model(5, Redundancy.coded(3)),
                model(3, Redundancy.coded(2)),
                model(5, Redundancy.coded(2, 2)),
                model(6, Redundancy.replicated()),
                model(2, Redundancy.none()))) {
            try (Checkpoint checkpoint = folder.open(folder.newest().orElseThrow(), model)) {
                Cluster after = new Cluster(model, checkpoint);
                Cluster wanted = new Cluster(model, before);
                for (int table = 0; table < 2; table++) {
                    for (int server = 0; server < model.servers(); server++) {
                        same(after, wanted, table, server);
                    }
                }
                for (int block = 0; block < 3; block++) {
                    assertThat(after.block(block).all())
                            .isEqualTo(before.block(block).all());
                    assertThat(after.block(block).updates())
                            .isEqualTo(before.block(block).updates());
                }
            }
        }
    }

    private static void same(Cluster after, Cluster wanted, int table, int server) {
        Shard shard = after.shards.get(table).get(server);
        for (long stripe = 0; stripe < shard.stripes(); stripe++) {
            int unit = wanted.stripes.unitOn(server, stripe);
            if (unit >= 0) {
                assertThat(shard.newest(stripe, unit))
                        .isEqualTo(wanted.shards.get(table).get(server).newest(stripe, unit));
            }
        }
    }

    @Test
    void whatIsNotCommittedIsNotTaken() throws Exception {
        assertThat(folder.newest()).isEmpty();
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        long first = cluster.write(folder);
        assertThat(folder.newest()).isEmpty();
        folder.commit(first, cluster.model);
        assertThat(folder.newest()).hasValue(first);
        long second = cluster.write(folder);
        assertThat(second).isGreaterThan(first);
        assertThat(folder.newest()).hasValue(first);
        folder.abandon(second);
        assertThat(folder.newest()).hasValue(first);
        assertThat(directory.resolve("checkpoint-00000002").toFile().list((in, name) -> !name.startsWith(".")))
                .singleElement()
                .asString()
                .startsWith("_writer-");
        folder.commit(cluster.write(folder), cluster.model);
        folder.keep(1);
        assertThat(directory.toFile().list()).containsExactly("checkpoint-00000003");
    }

    @Test
    void aCheckpointIsCommittedOnce() throws Exception {
        Cluster cluster = written();
        assertThatThrownBy(() -> folder.commit(1, cluster.model))
                .isInstanceOf(IOException.class)
                .hasMessage(folder.checkpoint(1) + " must be committed once, it has a manifest already: let one"
                        + " application at a time write to the folder");
        folder.abandon(1);
        restore(cluster.model);
    }

    /** Without an end, it would create folders for ever. */
    @Test
    void noNumberIsFoundWhereNothingIsListed() throws Exception {
        Configuration conf = new Configuration();
        conf.setClass("fs.unlisted.impl", Unlisted.class, FileSystem.class);
        folder = new CheckpointFolder("unlisted:" + directory, conf);
        assertThatThrownBy(() -> folder.begin(0))
                .isInstanceOf(IOException.class)
                .hasMessage("folders that are created in unlisted:" + directory
                        + " must list one file, the one that their writer creates, got 100 that do not: use a file"
                        + " system that lists files as soon as they are there");
    }

    /** Files that are listed long after they were created. */
    static final class Unlisted extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("unlisted:///");
        }

        @Override
        public FileStatus[] listStatus(org.apache.hadoop.fs.Path folder) {
            return new FileStatus[0];
        }
    }

    /** As with a folder that each host has for itself. */
    @Test
    void whatTheDriverDoesNotSeeIsNotCommitted() throws Exception {
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        long number = cluster.write(folder);
        Path part = directory.resolve("checkpoint-00000001/server-00001");
        byte[] bytes = Files.readAllBytes(part);
        overwrite(part, Arrays.copyOf(bytes, 9));
        assertThatThrownBy(() -> folder.commit(number, cluster.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("checkpoint-00000001/server-00001 must have " + bytes.length
                        + " bytes, got 9: name a folder that the driver and all executors share, and let one application"
                        + " at a time write to it");
        Files.delete(part);
        assertThatThrownBy(() -> folder.commit(number, cluster.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("checkpoint-00000001/server-00001 must have " + bytes.length
                        + " bytes, got no file: name a folder that the driver and all executors share, and let one"
                        + " application at a time write to it");
        assertThat(folder.newest()).isEmpty();
        overwrite(part, bytes);
        folder.commit(number, cluster.model);
        assertThat(folder.newest()).hasValue(number);
    }

    /** A server may still be writing its part of an abandoned one, or take it for written. */
    @Test
    void theNumberOfAnAbandonedOneIsNotUsedAgain() throws Exception {
        long first = folder.begin(0);
        folder.abandon(first);
        assertThat(folder.begin(0)).as("of another driver").isEqualTo(first + 1);
        assertThat(folder.begin(first + 7)).isEqualTo(first + 8);
    }

    @Test
    void theNewestAreKept() throws Exception {
        Cluster cluster = trained(model(2, Redundancy.none()));
        for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
            folder.commit(cluster.write(folder), cluster.model);
        }
        long unfinished = folder.begin(0);
        folder.keep(2);
        assertThat(directory.toFile().list())
                .containsExactlyInAnyOrder("checkpoint-00000002", "checkpoint-00000003", "checkpoint-00000004");
        assertThat(folder.newest()).hasValue(3L);
        assertThat(unfinished).isEqualTo(4);
    }

    /** Each begins when all have begun the one before. */
    @Test
    void driversThatBeginAtOnceGetDifferentNumbers() throws Exception {
        int drivers = 4;
        int rounds = 20;
        Set<Long> begun = ConcurrentHashMap.newKeySet();
        CyclicBarrier together = new CyclicBarrier(drivers);
        ExecutorService threads = Executors.newFixedThreadPool(drivers);
        try {
            List<Callable<Void>> begins = Collections.nCopies(drivers, () -> {
                CheckpointFolder own = new CheckpointFolder(directory.toUri().toString(), new Configuration());
                for (int round = 0; round < rounds; round++) {
                    together.await(1, TimeUnit.MINUTES);
                    begun.add(own.begin(0));
                }
                return null;
            });
            for (Future<Void> driver : threads.invokeAll(begins)) {
                driver.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(begun).hasSize(drivers * rounds);
    }

    @Test
    void whatIsCommittedIsOnDisk() throws Exception {
        List<String> done = new ArrayList<>();
        Configuration conf = new Configuration();
        WatchedFiles.watch(conf, (what, path) -> done.add(what + " " + path.getName()));
        folder = new CheckpointFolder("watched:" + directory, conf);
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        folder.commit(cluster.write(folder), cluster.model);
        folder.commit(cluster.write(folder), cluster.model);
        folder.keep(1);
        done.removeIf(what -> what.startsWith("create "));
        assertThat(done)
                .containsExactly(
                        "sync server-00000",
                        "sync server-00001",
                        "sync _manifest",
                        "rename manifest",
                        "sync server-00000",
                        "sync server-00001",
                        "sync _manifest",
                        "rename manifest",
                        "delete checkpoint-00000001");
    }

    /** Why a checkpoint is not complete of which another application deletes a part as its manifest gets its name. */
    private Throwable failure(WatchedFiles.Watcher other) throws IOException {
        Configuration conf = new Configuration();
        WatchedFiles.watch(conf, (what, path) -> {
            if (what.equals("rename")) {
                Files.delete(directory.resolve("checkpoint-00000001/server-00001"));
            }
            return other.may(what, path);
        });
        folder = new CheckpointFolder("watched:" + directory, conf);
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        return catchThrowable(() -> folder.commit(cluster.write(folder), cluster.model));
    }

    /** Its manifest alone would be the one to go back to. */
    @Test
    void aCheckpointThatIsDeletedMeanwhileIsNotComplete() throws Exception {
        assertThat(failure((what, path) -> true))
                .isInstanceOf(IOException.class)
                .hasMessageMatching(
                        ".*checkpoint-00000001/server-00001 must have \\d+ bytes, got no file: name a folder"
                                + " that the driver and all executors share, and let one application at a time write to it");
        assertThat(folder.newest()).isEmpty();
    }

    /** It counts as complete, so whoever looks for the reason needs both. */
    @Test
    void theReasonIsToldWhereTheManifestCannotBeDeletedEither() throws Exception {
        assertThat(failure((what, path) -> {
                    if (what.equals("delete")) {
                        throw new IOException("no answer");
                    }
                    return true;
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("checkpoint-00000001/server-00001 must have ")
                .hasSuppressedException(new IOException("no answer"));
    }

    /** All of it was there before: whoever deletes the manifest then loses a good checkpoint. */
    @Test
    void anOutageAfterTheManifestLeavesTheCheckpointComplete() throws Exception {
        Configuration conf = new Configuration();
        conf.setClass("fs.later.impl", LaterOutage.class, FileSystem.class);
        folder = new CheckpointFolder("later:" + directory, conf);
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        folder.commit(cluster.write(folder), cluster.model);
        assertThat(folder.newest()).contains(1L);
    }

    /** Files of servers that cannot be looked at once there is a manifest beside them. */
    static final class LaterOutage extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("later:///");
        }

        @Override
        public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
            File manifest = pathToFile(new org.apache.hadoop.fs.Path(path.getParent(), "manifest"));
            if (path.getName().startsWith("server-") && manifest.exists()) {
                throw new IOException("no answer");
            }
            return super.getFileStatus(path);
        }
    }

    /** They tell nothing, but whoever compares a model before and after finds no difference. */
    @Test
    void aNaNKeepsItsBits() throws Exception {
        ModelSpec model = new ModelSpec(
                1, Redundancy.none(), List.of(), List.of(new BlockSpec(1, new Optimizer.Sgd(0.1f), INITIAL)));
        Cluster cluster = new Cluster(model, InitialState.initial(model));
        cluster.blocks.get(0).copy(new float[] {Float.intBitsToFloat(0xffc00123)}, 1);
        folder.commit(cluster.write(folder), model);
        try (Checkpoint checkpoint = folder.open(1, model)) {
            assertThat(Float.floatToRawIntBits(checkpoint.block(0).value(0))).isEqualTo(0xffc00123);
        }
    }

    /** Whoever keeps the newest ones expects such exceptions, and goes on. */
    @Test
    void anOutageWhileOldOnesAreDeletedIsAnIoException() throws Exception {
        written();
        Configuration conf = new Configuration();
        conf.setClass("fs.outage.impl", Outage.class, FileSystem.class);
        CheckpointFolder away = new CheckpointFolder("outage:" + directory, conf);
        assertThatThrownBy(() -> away.keep(1)).isInstanceOf(IOException.class).hasMessage("no answer");
        assertThatThrownBy(away::newest).isInstanceOf(IOException.class).hasMessage("no answer");
    }

    /** Folders that can be listed, and manifests that cannot be looked at. */
    static final class Outage extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("outage:///");
        }

        @Override
        public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
            if (path.getName().equals("manifest")) {
                throw new IOException("no answer");
            }
            return super.getFileStatus(path);
        }
    }

    @Test
    void anotherModelIsRefused() throws Exception {
        written();
        ModelSpec other = new ModelSpec(
                2,
                Redundancy.none(),
                List.of(new TableSpec(ROWS[0], 9, new Optimizer.Adagrad(0.1f, 1e-6f), INITIAL)),
                List.of());
        assertThatThrownBy(() -> folder.open(1, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("tables of checkpoint 1 must have the shapes and optimizers of the model,"
                        + " [TableShape[rows=20001, width=9, words=18, optimizer=Adagrad]], got"
                        + " [TableShape[rows=20001, width=8, words=16, optimizer=Adagrad]");
    }

    /** A byte in the middle of a server's file, and one of the manifest. */
    @Test
    void damageIsNoticed() throws Exception {
        Cluster before = written();
        Path part = directory.resolve("checkpoint-00000001/server-00002");
        String remedy = ": to restore the checkpoint before, move " + folder.checkpoint(1) + " away";
        byte[] bytes = Files.readAllBytes(part);
        bytes[bytes.length / 2] ^= 1;
        overwrite(part, bytes);
        assertThatThrownBy(() -> restore(before.model))
                .isInstanceOf(UncheckedIOException.class)
                .cause()
                .hasMessageEndingWith("server-00002 is damaged, its checksum is wrong" + remedy);

        overwrite(part, Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> restore(before.model))
                .isInstanceOf(UncheckedIOException.class)
                .cause()
                .hasMessageContaining("server-00002 is damaged, it must have " + bytes.length + " bytes, got "
                        + (bytes.length - 1) + remedy);

        Path manifest = directory.resolve("checkpoint-00000001/manifest");
        byte[] geometry = Files.readAllBytes(manifest);
        geometry[20] ^= 1;
        overwrite(manifest, geometry);
        assertThatThrownBy(() -> restore(before.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("manifest is damaged, its checksum is wrong" + remedy);
        byte[] other = Checksums.seal(ByteBuffer.allocate(28)
                .putLong(CheckpointFolder.MAGIC)
                .putInt(CheckpointFolder.VERSION)
                .putLong(1)
                .putInt(2));
        overwrite(manifest, other);
        assertThatThrownBy(() -> restore(before.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("manifest is damaged, it is no manifest" + remedy);
        CheckpointLayout written = CheckpointLayout.of(1, before.model);
        CheckpointLayout large =
                new CheckpointLayout(1, 1 << 27, written.k(), written.parities(), written.tables(), written.blocks());
        byte[] encoded = large.encode();
        overwrite(
                manifest,
                Checksums.seal(ByteBuffer.allocate(16 + encoded.length)
                        .putLong(CheckpointFolder.MAGIC)
                        .putInt(CheckpointFolder.VERSION)
                        .put(encoded)));
        assertThatThrownBy(() -> restore(before.model))
                .as("which memory is taken for")
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("manifest is damaged, or files are missing: it names 134217728 servers, there are"
                        + " files of " + written.servers() + remedy);
        overwrite(manifest, new byte[3]);
        assertThatThrownBy(() -> restore(before.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("manifest is damaged, it is too short, got 3 bytes" + remedy);
    }

    /** As by a clean-up of old files, or with a folder that each host has for itself. */
    @Test
    void whatIsMissingOfACheckpointIsNotTakenForDamaged() throws Exception {
        Cluster cluster = trained(model(2, Redundancy.replicated()));
        folder.commit(cluster.write(folder), cluster.model);
        Files.delete(directory.resolve("checkpoint-00000001/server-00001"));
        assertThatThrownBy(() -> restore(cluster.model))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith(
                        "manifest is damaged, or files are missing: it names 2 servers, there are files of 1:"
                                + " to restore the checkpoint before, move " + folder.checkpoint(1) + " away");
    }

    /** A task that tries again and again would use up the machine's open files, or the DataNodes' connections. */
    @Test
    void aDamagedFileIsClosed() throws Exception {
        Cluster before = written();
        Path part = directory.resolve("checkpoint-00000001/server-00002");
        byte[] bytes = Files.readAllBytes(part);
        bytes[CheckpointLayout.HEADER - 1] ^= 1;
        overwrite(part, bytes);
        Configuration conf = new Configuration();
        conf.setClass("fs.counted.impl", Counted.class, FileSystem.class);
        folder = new CheckpointFolder("counted:" + directory, conf);
        int open = Counted.OPEN.get();
        assertThatThrownBy(() -> restore(before.model)).isInstanceOf(UncheckedIOException.class);
        assertThat(Counted.OPEN).hasValue(open);
    }

    static final class Counted extends RawLocalFileSystem {
        private static final AtomicInteger OPEN = new AtomicInteger();

        @Override
        public URI getUri() {
            return URI.create("counted:///");
        }

        @Override
        public FSDataInputStream open(org.apache.hadoop.fs.Path path, int buffer) throws IOException {
            OPEN.incrementAndGet();
            return new FSDataInputStream(super.open(path, buffer)) {
                @Override
                public void close() throws IOException {
                    OPEN.decrementAndGet();
                    super.close();
                }
            };
        }
    }

    /** Without the checksum that Hadoop's local file system keeps beside a file. */
    private static void overwrite(Path file, byte[] bytes) throws IOException {
        Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
        Files.write(file, bytes);
    }

    private void restore(ModelSpec model) throws IOException {
        try (Checkpoint checkpoint = folder.open(1, model)) {
            new Cluster(model, checkpoint);
        }
    }
}
