/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.table;

/** What a server begins with, if it does not read it from others. Rows of a table are asked for in ascending order, and some twice. */
public interface Origin {
    /** The version of a row, then the bits of its parameters and their state. */
    int[] row(int table, long row);

    Block block(int number);

    /** As all is before the first update. */
    static Origin initial(ModelSpec model) {
        return new Origin() {
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
