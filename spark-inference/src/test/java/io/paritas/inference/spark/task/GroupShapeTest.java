/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupShapeTest {

    @Test
    void batchesArePartsOfTheRowsInOrder() {
        for (int k = 2; k <= 16; k++) {
            for (int rows = 0; rows <= 5 * k; rows++) {
                GroupShape shape = new GroupShape(k, rows);
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
                GroupShape shape = new GroupShape(k, rows);
                int all = 0;
                for (int row = 0; row < shape.height(); row++) {
                    int members = 0;
                    for (int slot = 0; slot < k; slot++) {
                        members += shape.rows(slot) > row ? 1 : 0;
                    }
                    assertThat(shape.members(row)).isEqualTo(members).isPositive();
                    all += members;
                }
                assertThat(all).isEqualTo(rows);
            }
        }
    }
}
