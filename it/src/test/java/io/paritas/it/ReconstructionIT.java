/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.junit.jupiter.api.Test;

/** DataNodes die, others rebuild what they had, and the rebuilt blocks carry the file when more DataNodes die. */
class ReconstructionIT {
    private static final ErasureCodingPolicy RS_3_2 = EcCluster.rs(3, 2);
    private static final ErasureCodingPolicy RS_6_3 = EcCluster.rs(6, 3);

    @Test
    void rebuiltBlocksEqualTheLostOnes() throws Exception {
        try (EcCluster hdfs = EcCluster.start(RS_3_2, Coder.PARITAS, 2)) {
            loseRebuildLose(hdfs, new int[] {0, 3}, new int[] {1, 2});
        }
    }

    /** HDFS checks each decode by decoding a source back from what was decoded. */
    @Test
    void rebuiltBlocksPassTheValidationOfTheDataNode() throws Exception {
        try (EcCluster hdfs = EcCluster.start(RS_6_3, Coder.PARITAS, 3, validating())) {
            loseRebuildLose(hdfs, new int[] {0, 5, 7}, new int[] {1, 2, 6});
        }
    }

    /** The same validation notices a wrong byte, whereupon the task is repeated: it was really on. */
    @Test
    void validationCatchesOneWrongByte() throws Exception {
        DataNodeFaultInjector none = DataNodeFaultInjector.get();
        try (EcCluster hdfs = EcCluster.start(RS_3_2, Coder.PARITAS, 1, validating())) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            Path file = hdfs.write(client, "file", Seeded.bytes("content", RS_3_2.getCellSize() + 1));

            DataNodeFaultInjector.set(new OneWrongByte());
            LostUnits lost = LostUnits.byKilling(hdfs, file, 0);
            lost.awaitRebuilt();

            lost.assertRebuilt();
            assertThat(hdfs.counter("EcInvalidReconstructionTasks")).isOne();
        } finally {
            DataNodeFaultInjector.set(none);
        }
    }

    private static Configuration validating() {
        Configuration settings = new Configuration(false);
        settings.setBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY, true);
        // How soon a task that failed is repeated; five minutes by default.
        settings.setInt(DFSConfigKeys.DFS_NAMENODE_RECONSTRUCTION_PENDING_TIMEOUT_SEC_KEY, 10);
        return settings;
    }

    /** Damages the first decode of the DataNodes. */
    private static final class OneWrongByte extends DataNodeFaultInjector {
        private final AtomicBoolean done = new AtomicBoolean();

        @Override
        public void badDecoding(ByteBuffer[] outputs) {
            if (done.compareAndSet(false, true)) {
                int last = outputs[0].limit() - 1;
                outputs[0].put(last, (byte) ~outputs[0].get(last));
            }
        }
    }

    private static void loseRebuildLose(EcCluster hdfs, int[] lostFirst, int[] lostThen) throws Exception {
        DistributedFileSystem client = hdfs.client(Coder.PARITAS);
        byte[] content = Seeded.bytes("content", moreThanTwoGroups(hdfs.policy()));
        Path file = hdfs.write(client, "file", content);
        VerifyEc.assertOk(client.getConf(), file);

        LostUnits lost = LostUnits.byKilling(hdfs, file, lostFirst);
        lost.awaitRebuilt();

        lost.assertRebuilt();
        VerifyEc.assertOk(client.getConf(), file);
        assertThat(hdfs.counter("EcFailedReconstructionTasks")).isZero();
        assertThat(hdfs.counter("EcInvalidReconstructionTasks")).isZero();

        hdfs.killHolders(file, lostThen);
        Reads.all(client, file, content);
    }

    private static int moreThanTwoGroups(ErasureCodingPolicy policy) {
        int stripe = policy.getNumDataUnits() * policy.getCellSize();
        return 2 * 4 * stripe + stripe + policy.getCellSize() + 4_321;
    }
}
