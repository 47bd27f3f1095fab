/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Some processes of a cluster have our coder and others Hadoop's: what one writes, each other reads and rebuilds. */
class MixedCodersIT {
    private static final ErasureCodingPolicy POLICY = EcCluster.rs(3, 2);
    private static final int UNITS = 5;
    private static final byte[] CONTENT = Seeded.bytes("content", 3 * 3 * POLICY.getCellSize() + 54_321);

    @ParameterizedTest
    @EnumSource
    void oneWritesAndTheOtherReadsAndRebuilds(Coder dataNodeCoder) throws Exception {
        try (EcCluster hdfs = EcCluster.start(POLICY, dataNodeCoder, 2)) {
            DistributedFileSystem ours = hdfs.client(Coder.PARITAS);
            DistributedFileSystem hadoops = hdfs.client(Coder.HADOOP);
            Path byUs = hdfs.write(ours, "by-us", CONTENT);
            Path byHadoop = hdfs.write(hadoops, "by-hadoop", CONTENT);
            assertSameOnDisk(hdfs, byUs, byHadoop);
            VerifyEc.assertOk(hadoops.getConf(), byUs);
            VerifyEc.assertOk(ours.getConf(), byHadoop);

            LostUnits lostByUs = LostUnits.byKilling(hdfs, byUs, 1);
            LostUnits lostByHadoop = LostUnits.byKilling(hdfs, byHadoop, 2);
            Reads.all(hadoops, byUs, CONTENT);
            Reads.all(ours, byHadoop, CONTENT);

            lostByUs.awaitRebuilt();
            lostByHadoop.awaitRebuilt();
            lostByUs.assertRebuilt();
            lostByHadoop.assertRebuilt();
            assertThat(hdfs.counter("EcFailedReconstructionTasks")).isZero();
        }
    }

    private static void assertSameOnDisk(EcCluster hdfs, Path one, Path other) throws Exception {
        LocatedStripedBlock group = hdfs.groups(one).get(0);
        LocatedStripedBlock otherGroup = hdfs.groups(other).get(0);
        for (int unit = 0; unit < UNITS; unit++) {
            assertThat(hdfs.onDisk(group, unit, hdfs.holders(group).get(unit)))
                    .as("unit %d of %s and %s", unit, one, other)
                    .isEqualTo(hdfs.onDisk(
                            otherGroup, unit, hdfs.holders(otherGroup).get(unit)));
        }
    }
}
