/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Test;

/** Hadoop's built-in policy XOR-2-1-1024k: one DataNode dies, then another after the first loss is rebuilt. */
class XorIT {
    private static final ErasureCodingPolicy POLICY =
            SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.XOR_2_1_POLICY_ID);

    @Test
    void survivesOneDataNodeAtATime() throws Exception {
        try (EcCluster hdfs = EcCluster.start(POLICY, Coder.PARITAS, 1)) {
            DistributedFileSystem client = hdfs.client(Coder.PARITAS);
            byte[] content = Seeded.bytes("content", 3 * POLICY.getCellSize() + 98_765);
            Path file = hdfs.write(client, "file", content);

            LostUnits lost = LostUnits.byKilling(hdfs, file, 0);
            Reads.all(client, file, content);

            lost.awaitRebuilt();
            lost.assertRebuilt();
            assertThat(hdfs.counter("EcFailedReconstructionTasks")).isZero();

            hdfs.killHolders(file, 1);
            Reads.all(client, file, content);
        }
    }
}
