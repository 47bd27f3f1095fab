/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.cli.quickstart.Placement.Group;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
    /** A full group with all units on DataNodes 10 to 14, and one of a single byte, whose second parity unit is lost. */
    private final Placement placement = new Placement(
            Policy.RS_3_2,
            List.of(
                    new Group(3L * Policy.CELL, Map.of(0, 10, 1, 11, 2, 12, 3, 13, 4, 14)),
                    new Group(1, Map.of(0, 13, 3, 10))));

    @Test
    void countsUnitsByDataNode() {
        assertThat(placement.unitsOn(List.of(10, 13))).isEqualTo(4);
        assertThat(placement.dataUnitsOn(List.of(10, 13))).isEqualTo(2);
        assertThat(placement.groupsOn(List.of(11, 12))).isEqualTo(1);
    }

    @Test
    void missesUnitsThatNoDataNodeHolds() {
        assertThat(placement.unitsNotOn(List.of(10, 11, 12, 13, 14))).isEqualTo(1);
        assertThat(placement.unitsNotOn(List.of(10, 11, 12))).isEqualTo(4);
    }
}
