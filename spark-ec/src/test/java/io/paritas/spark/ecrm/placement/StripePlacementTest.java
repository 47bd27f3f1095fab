/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StripePlacementTest {
    private interface Check {
        void of(StripePlacement placement, String name);
    }

    /** All placements with 3 to 15 servers and one or two parities. */
    private static void exhaust(Check check) {
        for (int servers = 3; servers <= 15; servers++) {
            for (int r = 1; r <= 2; r++) {
                for (int k = 1; k + r <= servers; k++) {
                    check.of(new StripePlacement(servers, k, r), "S=" + servers + " k=" + k + " r=" + r);
                }
            }
        }
    }

    @Test
    void unitsOfAStripeAreOnDifferentServers() {
        exhaust((placement, name) -> {
            for (long stripe = 0; stripe < 3L * placement.servers(); stripe++) {
                Set<Integer> having = new HashSet<>();
                for (int unit = 0; unit < placement.units(); unit++) {
                    having.add(placement.server(stripe, unit));
                }
                assertThat(having).as(name).hasSize(placement.units());
            }
        });
    }

    @Test
    void everyServerHasAsManyUnitsOfEachKind() {
        exhaust((placement, name) -> {
            int[] data = new int[placement.servers()];
            int[] parity = new int[placement.servers()];
            for (long stripe = 0; stripe < placement.servers(); stripe++) {
                for (int unit = 0; unit < placement.units(); unit++) {
                    (unit < placement.k() ? data : parity)[placement.server(stripe, unit)]++;
                }
            }
            assertThat(data).as(name).containsOnly(placement.k());
            assertThat(parity).as(name).containsOnly(placement.units() - placement.k());
        });
    }

    @Test
    void slotsAreDenseAndLeadBack() {
        exhaust((placement, name) -> {
            long rows = 3L * placement.servers() * placement.k();
            boolean[][] data = new boolean[placement.servers()][(int) placement.dataSlots(rows)];
            boolean[][] parity = new boolean[placement.servers()][(int) placement.paritySlots(rows)];
            for (long row = 0; row < rows; row++) {
                long stripe = placement.stripe(row);
                int unit = placement.unit(row);
                int server = placement.owner(row);
                int slot = (int) placement.slot(stripe, unit);
                assertThat(data[server][slot]).as(name).isFalse();
                data[server][slot] = true;
                assertThat(placement.stripeOfData(server, slot)).as(name).isEqualTo(stripe);
                assertThat(placement.unitOn(server, stripe)).as(name).isEqualTo(unit);
            }
            for (long stripe = 0; stripe < placement.stripes(rows); stripe++) {
                for (int unit = placement.k(); unit < placement.units(); unit++) {
                    int server = placement.server(stripe, unit);
                    int slot = (int) placement.slot(stripe, unit);
                    assertThat(parity[server][slot]).as(name).isFalse();
                    parity[server][slot] = true;
                    assertThat(placement.stripeOfParity(server, slot)).as(name).isEqualTo(stripe);
                    assertThat(placement.unitOn(server, stripe)).as(name).isEqualTo(unit);
                }
            }
            assertThat(List.of(data)).as(name).allSatisfy(slots -> assertThat(slots)
                    .containsOnly(true));
            assertThat(List.of(parity)).as(name).allSatisfy(slots -> assertThat(slots)
                    .containsOnly(true));
        });
    }

    @Test
    void serversWithoutAUnitOfAStripeAreKnown() {
        exhaust((placement, name) -> {
            for (long stripe = 0; stripe < placement.servers(); stripe++) {
                int having = 0;
                for (int server = 0; server < placement.servers(); server++) {
                    having += placement.unitOn(server, stripe) >= 0 ? 1 : 0;
                }
                assertThat(having).as(name).isEqualTo(placement.units());
            }
        });
    }

    /** Parity takes 1/k of the memory of the rows, except for gaps in the last stripes. */
    @Test
    void slotsCostOneKth() {
        exhaust((placement, name) -> {
            for (long rows = 0; rows < 200; rows++) {
                long stripes = (rows + placement.k() - 1) / placement.k();
                assertThat(placement.dataSlots(rows) * placement.servers())
                        .as(name)
                        .isBetween(rows, (stripes + placement.servers()) * placement.k());
                assertThat(placement.paritySlots(rows) * placement.k())
                        .as(name)
                        .isEqualTo(placement.dataSlots(rows) * (placement.units() - placement.k()));
            }
        });
    }

    @Test
    void replicasAreOnDifferentServers() {
        for (int servers = 3; servers <= 15; servers++) {
            for (int copies = 1; copies <= 3; copies++) {
                ReplicaPlacement placement = new ReplicaPlacement(servers, copies);
                for (int block = 0; block < 50; block++) {
                    int[] having = placement.servers(block);
                    assertThat(having).hasSize(copies).doesNotHaveDuplicates();
                    for (int server = 0; server < servers; server++) {
                        int one = server;
                        assertThat(placement.has(server, block))
                                .isEqualTo(Arrays.stream(having).anyMatch(some -> some == one));
                    }
                }
            }
        }
    }

    @Test
    void rowsWithoutParityAreSpread() {
        StripePlacement placement = new StripePlacement(3, 1, 0);
        for (long row = 0; row < 9; row++) {
            assertThat(placement.owner(row)).isEqualTo((int) row % 3);
            assertThat(placement.slot(row, 0)).isEqualTo(row / 3);
        }
        assertThat(placement.dataSlots(8)).isEqualTo(3);
        assertThat(placement.paritySlots(8)).isZero();
    }

    @Test
    void saysWhatAStripeNeeds() {
        assertThatThrownBy(() -> new StripePlacement(3, 3, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "k must be at least 1 and r at least 0, with k + r servers at least, got k = 3, r = 1 and 3 servers:"
                                + " use more servers or a smaller k");
        assertThatThrownBy(() -> new ReplicaPlacement(1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("copies of a block must be 1 to 3, and at most as many as servers, got 2 on 1 servers");
    }
}
