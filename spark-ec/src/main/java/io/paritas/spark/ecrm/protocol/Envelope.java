/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * A message on its way.
 *
 * @param epoch of the sender's view
 */
public record Envelope(Address from, Address to, int epoch, Message message) {}
