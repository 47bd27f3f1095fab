/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;

/** Something to do about units that are stored, by a task of its own. */
interface Work<R> extends Serializable {

    /** The executors on which it is done best. */
    List<BlockManagerId> preferred();

    R run(Access access) throws InterruptedException;
}
