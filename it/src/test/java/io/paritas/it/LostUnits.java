/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** The units of a file that dead DataNodes had: their bytes, to be compared with what HDFS rebuilds. */
record LostUnits(EcCluster hdfs, Path file, List<Unit> units) {
    private record Unit(long group, int index, ByteBuffer bytes, DataNode formerHolder) {}

    /** Kills DataNodes with these units of the file's first group, and takes down what other groups lose by it. */
    static LostUnits byKilling(EcCluster hdfs, Path file, int... unitsOfFirstGroup) throws IOException {
        List<LocatedStripedBlock> groups = hdfs.groups(file);
        List<DataNode> victims = new ArrayList<>();
        for (int unit : unitsOfFirstGroup) {
            victims.add(hdfs.holders(groups.get(0)).get(unit));
        }
        List<Unit> lost = new ArrayList<>();
        for (LocatedStripedBlock group : groups) {
            for (Map.Entry<Integer, DataNode> holder : hdfs.holders(group).entrySet()) {
                if (victims.contains(holder.getValue())) {
                    ByteBuffer bytes = ByteBuffer.wrap(hdfs.onDisk(group, holder.getKey(), holder.getValue()));
                    lost.add(new Unit(group.getBlock().getBlockId(), holder.getKey(), bytes, holder.getValue()));
                }
            }
        }
        hdfs.kill(victims);
        return new LostUnits(hdfs, file, lost);
    }

    /** Has the NameNode find the loss, and waits until DataNodes have rebuilt everything. */
    void awaitRebuilt() throws Exception {
        hdfs.noticeDeaths();
        hdfs.awaitAllUnits(file);
        hdfs.awaitCounter(
                "EcReconstructionTasks",
                units.stream().mapToLong(Unit::group).distinct().count());
    }

    /** Each lost unit is on the disk of another DataNode now, with the same bytes. */
    void assertRebuilt() throws IOException {
        assertThat(units).isNotEmpty();
        for (LocatedStripedBlock group : hdfs.groups(file)) {
            for (Unit unit : units) {
                if (unit.group == group.getBlock().getBlockId()) {
                    assertRebuilt(group, unit);
                }
            }
        }
    }

    private void assertRebuilt(LocatedStripedBlock group, Unit unit) throws IOException {
        DataNode holder = hdfs.holders(group).get(unit.index);
        assertThat(holder)
                .as("holder of unit %d of %s", unit.index, group.getBlock())
                .isNotNull()
                .isNotEqualTo(unit.formerHolder);
        assertThat(hdfs.onDisk(group, unit.index, holder))
                .as("unit %d of %s", unit.index, group.getBlock())
                .isEqualTo(unit.bytes.array());
    }
}
