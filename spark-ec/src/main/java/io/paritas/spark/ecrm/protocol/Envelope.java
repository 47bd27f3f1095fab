/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * A message with its sender and receiver.
 *
 * @param epoch of the sender's view
 */
public record Envelope(Address from, Address to, int epoch, Message message) {}
