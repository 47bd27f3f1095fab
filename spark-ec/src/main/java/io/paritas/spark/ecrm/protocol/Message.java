/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.Iterator;
import java.util.List;

/**
 * A message between workers, servers and the driver; {@code package-info} has a table of who sends what to whom.
 * Immutable: neither sender nor receiver changes the arrays in it.
 */
public sealed interface Message permits ReadMessage, CommitMessage, ViewMessage, RangeMessage, ProgressMessage {
    /** Writes the fields in the order of the record. The message's kind is written before. */
    void write(WireWriter to);

    /** About how many bytes the arrays among the fields take; 0 if that is few. */
    default long bytes() {
        return 0;
    }

    /** Returns what is sent for this message, one after the other: parts of a long one, which are made as they are asked for. */
    default Iterator<Message> parts() {
        return List.<Message>of(this).iterator();
    }

    /** Calls the visitor's method for this type of message. */
    void accept(MessageVisitor visitor);
}
