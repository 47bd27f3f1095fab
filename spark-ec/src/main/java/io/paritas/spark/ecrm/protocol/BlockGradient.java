/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/** The gradient of a block. */
public record BlockGradient(int block, float[] gradient) {
    void write(WireWriter to) {
        to.int4(block);
        to.floats(gradient);
    }

    static BlockGradient read(WireReader from) {
        return new BlockGradient(from.int4(), from.floats());
    }
}
