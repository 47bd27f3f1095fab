/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/** What one says to another. Immutable: nobody changes the arrays in it. */
public sealed interface Message permits ReadMessage, CommitMessage, ViewMessage, RangeMessage, ProgressMessage {
    /** Its bytes, without its kind. */
    void write(WireWriter to);
}
