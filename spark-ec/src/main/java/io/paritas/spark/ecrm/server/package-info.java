/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A parameter server as a machine without threads and sockets: {@link io.paritas.spark.ecrm.server.ShardServer} leads to its parts.
 * {@code Transactions} and {@code Attempt} are the two phases, {@code Replicas} the blocks of the neural network, {@code Reads} answers
 * questions; {@code Recovery} makes what somebody waits for at a replacement, {@code RangeRecovery} all the rest, and {@code
 * Ranges} is what the others do for it.
 */
package io.paritas.spark.ecrm.server;
