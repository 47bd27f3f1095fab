/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/** A block cannot be decoded, but an executor has its map output. The message says why it cannot. */
final class StoredElsewhereException extends IOException {
    private static final long serialVersionUID = 1;

    private final BlockManagerId at;

    StoredElsewhereException(BlockManagerId at, IOException cause) {
        super(cause.getMessage(), cause);
        this.at = at;
    }

    /** Who has it. */
    BlockManagerId at() {
        return at;
    }
}
