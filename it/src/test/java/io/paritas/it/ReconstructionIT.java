/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
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
        Configuration validating = new Configuration(false);
        validating.setBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY, true);
        try (EcCluster hdfs = EcCluster.start(RS_6_3, Coder.PARITAS, 3, validating)) {
            loseRebuildLose(hdfs, new int[] {0, 5, 7}, new int[] {1, 2, 6});
            assertThat(hdfs.counter("EcReconstructionValidateTimeMillis")).isNotNegative();
        }
    }

    private static void loseRebuildLose(EcCluster hdfs, int[] lostFirst, int[] lostThen) throws Exception {
        DistributedFileSystem client = hdfs.client(Coder.PARITAS);
        byte[] content = Seeded.bytes("content", moreThanTwoGroups(hdfs.policy()));
        Path file = hdfs.write(client, "file", content);
        VerifyEc.assertOk(client.getConf(), file);

        LostUnits lost = LostUnits.byKilling(hdfs, file, lostFirst);
        hdfs.noticeDeaths();
        hdfs.awaitAllUnits(file);

        lost.assertRebuilt();
        VerifyEc.assertOk(client.getConf(), file);
        assertThat(hdfs.counter("EcReconstructionTasks")).isPositive();
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
