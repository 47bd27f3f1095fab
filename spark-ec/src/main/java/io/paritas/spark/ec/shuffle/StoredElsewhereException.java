/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/** A block is not decoded, because it cannot be, or need not: an executor has its map output. The message says why. */
final class StoredElsewhereException extends IOException {
    private static final long serialVersionUID = 1;

    private final BlockManagerId at;

    StoredElsewhereException(BlockManagerId at, IOException cause) {
        super(cause.getMessage(), cause);
        this.at = at;
    }

    /** It need not be decoded. */
    StoredElsewhereException(BlockManagerId at) {
        super("executor " + at.executorId() + " has it again");
        this.at = at;
    }

    /** Whether it was tried to decode it. */
    boolean isTried() {
        return getCause() != null;
    }

    /** Who has it. */
    BlockManagerId at() {
        return at;
    }
}
