/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupShapeTest {

    @Test
    void batchesArePartsOfTheRowsInOrder() {
        for (int k = 2; k <= 16; k++) {
            for (int rows = 0; rows <= 5 * k; rows++) {
                GroupShape shape = GroupShape.even(k, rows);
                int next = 0;
                for (int slot = 0; slot < k; slot++) {
                    assertThat(shape.rows(slot)).isBetween(0, slot == 0 ? rows : shape.rows(slot - 1));
                    assertThat(shape.first(slot)).isEqualTo(next);
                    next += shape.rows(slot);
                }
                assertThat(next).isEqualTo(rows);
                assertThat(shape.height()).isEqualTo(shape.rows(0)).isEqualTo((int) Math.ceil(rows / (double) k));
            }
        }
    }

    @Test
    void membersAreTheBatchesThatHaveSuchARow() {
        for (int k = 2; k <= 16; k++) {
            for (int rows = 0; rows <= 5 * k; rows++) {
                GroupShape shape = GroupShape.even(k, rows);
                int all = 0;
                for (int row = 0; row < shape.height(); row++) {
                    List<Integer> members = new ArrayList<>();
                    for (int slot = 0; slot < k; slot++) {
                        if (shape.rows(slot) > row) {
                            members.add(slot);
                        }
                    }
                    assertThat(shape.members(row))
                            .containsExactly(members.toArray(Integer[]::new))
                            .isNotEmpty();
                    all += members.size();
                }
                assertThat(all).isEqualTo(rows);
            }
        }
    }

    @Test
    void batchesNeedNotBeEquallyLong() {
        GroupShape shape = new GroupShape(2, 0, 3);
        assertThat(shape.k()).isEqualTo(3);
        assertThat(shape.rows()).isEqualTo(5);
        assertThat(shape.height()).isEqualTo(3);
        assertThat(shape.members(0)).containsExactly(0, 2);
        assertThat(shape.members(2)).containsExactly(2);
    }
}
