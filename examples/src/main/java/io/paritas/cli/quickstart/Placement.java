/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/** The DataNodes of the units of a file. */
record Placement(Policy policy, List<Group> groups) {
    /**
     * A block group, whose units are on different DataNodes.
     *
     * @param bytes of the file in this group
     * @param ports the port of each unit's DataNode, where there is one
     */
    record Group(long bytes, Map<Integer, Integer> ports) {
        long unitsOn(Collection<Integer> dataNodes) {
            return ports.values().stream().filter(dataNodes::contains).count();
        }
    }

    static Placement of(LocatedBlocks blocks, Policy policy) {
        return new Placement(
                policy,
                blocks.getLocatedBlocks().stream()
                        .map(block -> group((LocatedStripedBlock) block))
                        .toList());
    }

    private static Group group(LocatedStripedBlock block) {
        Map<Integer, Integer> ports = new HashMap<>();
        DatanodeInfo[] locations = block.getLocations();
        for (int i = 0; i < locations.length; i++) {
            ports.put((int) block.getBlockIndices()[i], locations[i].getXferPort());
        }
        return new Group(block.getBlockSize(), ports);
    }

    /** The number of units of the file, found or not. */
    private long units() {
        return sum(group -> policy.units(group.bytes));
    }

    /** Returns how many units are on these DataNodes. */
    long unitsOn(Collection<Integer> dataNodes) {
        return sum(group -> group.unitsOn(dataNodes));
    }

    /** Returns how many block groups have a unit on these DataNodes. */
    long groupsOn(Collection<Integer> dataNodes) {
        return groups.stream().filter(group -> group.unitsOn(dataNodes) > 0).count();
    }

    /** Returns how many data units are on these DataNodes. */
    long dataUnitsOn(Collection<Integer> dataNodes) {
        return sum(group -> group.ports.entrySet().stream()
                .filter(unit -> unit.getKey() < policy.code().k() && dataNodes.contains(unit.getValue()))
                .count());
    }

    /** Returns how many units are on none of these DataNodes. */
    long unitsNotOn(Collection<Integer> dataNodes) {
        return units() - unitsOn(dataNodes);
    }

    /** Returns these DataNodes, those with the most data units first. */
    List<Daemon> byDataUnits(List<Daemon> dataNodes) {
        return dataNodes.stream()
                .sorted(Comparator.comparingLong(
                        dataNode -> -dataUnitsOn(List.of(dataNode.address().getPort()))))
                .toList();
    }

    private long sum(ToLongFunction<Group> value) {
        return groups.stream().mapToLong(value).sum();
    }
}
