/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/**
 * The state that servers start from: initial parameters, or a checkpoint. Rows of a table are read in ascending order,
 * some twice.
 */
public interface InitialState {
    /** Returns the version of a row, then the bits of its parameters and optimizer state. */
    int[] row(int table, long row);

    /** Returns a block. */
    Block block(int number);

    /** Returns the state before the first update. */
    static InitialState initial(ModelSpec model) {
        return new InitialState() {
            @Override
            public int[] row(int table, long row) {
                return model.tables().get(table).fresh(row);
            }

            @Override
            public Block block(int number) {
                return Block.initial(model.blocks().get(number));
            }
        };
    }
}
