/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import io.paritas.PublicApi;

/**
 * The gradient of a block.
 *
 * @param block number of the block
 * @param gradient one float for each parameter of the block
 */
@PublicApi
public record BlockGradient(int block, float[] gradient) {
    void write(WireWriter to) {
        to.int4(block);
        to.floats(gradient);
    }

    static BlockGradient read(WireReader from) {
        return new BlockGradient(from.int4(), from.floats());
    }
}
