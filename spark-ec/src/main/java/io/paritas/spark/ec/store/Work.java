/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;

/** Work on stored units, for a task of its own. */
interface Work<R> extends Serializable {

    /** The executors that do it best. */
    List<BlockManagerId> preferred();

    R run(Access access) throws InterruptedException;
}
