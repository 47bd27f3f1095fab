/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * An HDFS with one erasure-coding policy on everything, small blocks, and DataNodes that can be killed. In two steps, as
 * in life: a killed DataNode is gone for who connects to it; and once the NameNode {@link #noticeDeaths() notices}, its
 * blocks are rebuilt on others.
 */
final class EcCluster implements AutoCloseable {
    private static final int CELLS_PER_BLOCK = 4;

    private final ErasureCodingPolicy policy;
    private final Coder coder;
    private final MiniDFSCluster cluster;
    private final Configuration conf;
    private final Map<String, DataNode> byUuid = new HashMap<>();
    private final List<DistributedFileSystem> clients = new ArrayList<>();
    private final List<DataNode> killed = new ArrayList<>();

    private EcCluster(ErasureCodingPolicy policy, Coder coder, int dataNodes, Configuration settings)
            throws IOException {
        assertThat(Fallbacks.heard()).isEmpty();
        this.policy = policy;
        this.coder = coder;
        this.conf = coder.in(configuration(policy, settings));
        File folder = Files.createTempDirectory(
                        Files.createDirectories(java.nio.file.Path.of(System.getProperty("test.build.data"))), "hdfs")
                .toFile();
        this.cluster = new MiniDFSCluster.Builder(conf, folder)
                .numDataNodes(dataNodes)
                .storagesPerDatanode(1)
                .build();
        cluster.waitActive();
        cluster.getDataNodes().forEach(dataNode -> byUuid.put(dataNode.getDatanodeUuid(), dataNode));
    }

    /** @param spares DataNodes beyond one for each unit: where blocks are rebuilt */
    static EcCluster start(ErasureCodingPolicy policy, Coder dataNodeCoder, int spares) throws IOException {
        return start(policy, dataNodeCoder, spares, new Configuration(false));
    }

    static EcCluster start(ErasureCodingPolicy policy, Coder dataNodeCoder, int spares, Configuration settings)
            throws IOException {
        int units = policy.getNumDataUnits() + policy.getNumParityUnits();
        EcCluster started = new EcCluster(policy, dataNodeCoder, units + spares, settings);
        try {
            started.usePolicy();
            started.assertCoderUsed();
            return started;
        } catch (IOException | RuntimeException | AssertionError e) {
            started.cluster.shutdown(true);
            throw e;
        }
    }

    /** A policy with small cells, so that a file of a few megabytes has many stripes and several groups. */
    static ErasureCodingPolicy rs(int k, int r) {
        return new ErasureCodingPolicy(new ECSchema("rs", k, r), 64 * 1024);
    }

    private static Configuration configuration(ErasureCodingPolicy policy, Configuration settings) {
        Configuration conf = new Configuration();
        conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, (long) CELLS_PER_BLOCK * policy.getCellSize());
        conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
        conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
        conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
        conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_MAX_STREAMS_KEY, 20);
        conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_STREAMS_HARD_LIMIT_KEY, 40);
        conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, 10_000);
        // Not a divisor of the cell: rebuilding decodes pieces that start and end inside of cells.
        conf.setInt(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_STRIPED_READ_BUFFER_SIZE_KEY, policy.getCellSize() - 1);
        settings.forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
        return conf;
    }

    private void usePolicy() throws IOException {
        DistributedFileSystem admin = client(coder);
        if (admin.getAllErasureCodingPolicies().stream()
                .noneMatch(known -> known.getPolicy().getName().equals(policy.getName()))) {
            admin.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
        }
        admin.enableErasureCodingPolicy(policy.getName());
        admin.setErasureCodingPolicy(new Path("/"), policy.getName());
    }

    /** A client of its own, with its own coder. */
    DistributedFileSystem client(Coder clientCoder) throws IOException {
        return client(clientCoder, Map.of());
    }

    DistributedFileSystem client(Coder clientCoder, Map<String, String> settings) throws IOException {
        Configuration clientConf = clientCoder.in(conf);
        settings.forEach(clientConf::set);
        clientCoder.assertUsed(clientConf, policy.getCodecName(), options());
        return client(clientConf);
    }

    /** A client that uses the coders of this list. */
    DistributedFileSystem client(String rawCoders) throws IOException {
        Configuration clientConf = new Configuration(conf);
        clientConf.set(CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY, rawCoders);
        return client(clientConf);
    }

    private DistributedFileSystem client(Configuration clientConf) throws IOException {
        DistributedFileSystem client =
                (DistributedFileSystem) DistributedFileSystem.newInstance(cluster.getURI(), clientConf);
        clients.add(client);
        return client;
    }

    /** Writes a file and waits until the NameNode knows all of its units. */
    Path write(DistributedFileSystem client, String name, byte[] content) throws Exception {
        Path file = new Path("/" + name);
        try (FSDataOutputStream out = client.create(file)) {
            out.write(content);
        }
        awaitAllUnits(file);
        return file;
    }

    /** Waits until each unit of each group of the file is on a DataNode that the NameNode thinks alive. */
    void awaitAllUnits(Path file) throws Exception {
        Await.until(
                file + " has all of its units",
                () -> groups(file).stream().allMatch(group -> holders(group).size() == unitsOf(group)),
                () -> groups(file).stream().map(this::holders).toList());
    }

    /** A short group has fewer data units: cells that would be empty are not stored. */
    private int unitsOf(LocatedStripedBlock group) {
        long cells = (group.getBlockSize() - 1) / policy.getCellSize() + 1;
        return (int) Math.min(cells, policy.getNumDataUnits()) + policy.getNumParityUnits();
    }

    /** All groups of a file; by default, HDFS names those of the first few blocks. */
    List<LocatedStripedBlock> groups(Path file) throws IOException {
        return clients
                .get(0)
                .getClient()
                .getLocatedBlocks(file.toString(), 0, Long.MAX_VALUE)
                .getLocatedBlocks()
                .stream()
                .map(LocatedStripedBlock.class::cast)
                .toList();
    }

    /** Who holds each unit of a group, by unit. */
    Map<Integer, DataNode> holders(LocatedBlock group) {
        byte[] units = ((LocatedStripedBlock) group).getBlockIndices();
        DatanodeInfo[] locations = group.getLocations();
        Map<Integer, DataNode> holders = new TreeMap<>();
        for (int i = 0; i < units.length; i++) {
            holders.put((int) units[i], byUuid.get(locations[i].getDatanodeUuid()));
        }
        return holders;
    }

    /** The bytes of one unit on the disk of a DataNode, which may be dead. */
    byte[] onDisk(LocatedStripedBlock group, int unit, DataNode holder) throws IOException {
        return Files.readAllBytes(blockFile(group, unit, holder).toPath());
    }

    private File blockFile(LocatedStripedBlock group, int unit, DataNode holder) {
        ExtendedBlock block = StripedBlockUtil.constructInternalBlock(
                group.getBlock(), policy.getCellSize(), policy.getNumDataUnits(), unit);
        return cluster.getBlockFile(cluster.getDataNodes().indexOf(holder), block);
    }

    /** Stops DataNodes. Nobody is told. */
    void kill(List<DataNode> victims) {
        victims.forEach(DataNode::shutdown);
        killed.addAll(victims);
    }

    /** Stops the DataNodes with these units of the file's first group. */
    void killHolders(Path file, int... units) throws IOException {
        Map<Integer, DataNode> holders = holders(groups(file).get(0));
        List<DataNode> victims = new ArrayList<>();
        for (int unit : units) {
            victims.add(holders.get(unit));
        }
        kill(victims);
    }

    /** Has the DataNodes rebuild with the coders of this list from now on. */
    void rebuildWith(String rawCoders) {
        cluster.getDataNodes().forEach(dataNode -> dataNode.getConf()
                .set(CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY, rawCoders));
    }

    /** Has a DataNode delete its unit of a group, and tell the NameNode, which has it rebuilt. */
    void drop(LocatedStripedBlock group, int unit) throws IOException {
        Block block = StripedBlockUtil.constructInternalBlock(
                        group.getBlock(), policy.getCellSize(), policy.getNumDataUnits(), unit)
                .getLocalBlock();
        holders(group).get(unit).getFSDataset().invalidate(group.getBlock().getBlockPoolId(), new Block[] {block});
    }

    /** Has the NameNode find that the killed DataNodes are dead, which takes it ten minutes by itself. */
    void noticeDeaths() throws IOException {
        for (DataNode dead : killed) {
            cluster.setDataNodeDead(dead.getDatanodeId());
        }
    }

    /** Stops the NameNode and starts it again, with what it has on disk and what the DataNodes tell it. */
    void restartNameNode() throws Exception {
        cluster.restartNameNode();
        cluster.waitActive();
        Set<DatanodeDescriptor> dataNodes =
                cluster.getNamesystem().getBlockManager().getDatanodeManager().getDatanodes();
        Await.until(
                "all DataNodes have told which blocks they have",
                () -> dataNodes.stream().allMatch(DatanodeDescriptor::checkBlockReportReceived),
                () -> dataNodes);
    }

    /** The sum of one counter over the living DataNodes. */
    long counter(String name) {
        return cluster.getDataNodes().stream()
                .filter(dataNode -> !killed.contains(dataNode))
                .mapToLong(dataNode -> Counters.of(dataNode.getMetrics().name()).get(name))
                .sum();
    }

    /** Waits for a counter: a task counts itself after the NameNode knows its blocks. */
    void awaitCounter(String name, long atLeast) throws Exception {
        Await.until(name + " >= " + atLeast, () -> counter(name) >= atLeast, () -> counter(name));
    }

    ErasureCodingPolicy policy() {
        return policy;
    }

    private ErasureCoderOptions options() {
        return new ErasureCoderOptions(policy.getNumDataUnits(), policy.getNumParityUnits());
    }

    /** Not what was configured, but what DataNodes with this configuration get. */
    private void assertCoderUsed() {
        cluster.getDataNodes()
                .forEach(dataNode -> coder.assertUsed(dataNode.getConf(), policy.getCodecName(), options()));
        Coder.assertExpectedKernel();
    }

    /** Stops everything, and fails if a coder of ours was asked for and another one used meanwhile. */
    @Override
    public void close() throws IOException {
        for (DistributedFileSystem client : clients) {
            client.close();
        }
        assertCoderUsed();
        cluster.shutdown(true);
        assertThat(Fallbacks.heard()).as("fallbacks to another coder").isEmpty();
    }
}
