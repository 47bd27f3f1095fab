/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.Serializable;
import java.util.Locale;
import java.util.UUID;

/**
 * A partition in a checkpoint.
 *
 * @param index number of the partition, from 0
 * @param group group id of its unit files
 * @param length length of its serialised elements, in bytes
 * @param count number of its elements
 */
record Part(int index, UUID group, long length, long count) implements Serializable {

    /** The name of its folder; attempts at one partition have different ones. */
    String folder() {
        return String.format(
                Locale.ROOT, "part-%05d-%s", index, group.toString().substring(0, 8));
    }
}
