/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What workers, servers and the driver say to each other, and its bytes ({@link io.paritas.spark.ecrm.protocol.Codec}). Who says what
 * when is in the packages {@code server}, {@code client} and {@code membership}: machines that get messages and the time, and say what
 * to send, without threads, sockets and clocks.
 */
package io.paritas.spark.ecrm.protocol;
