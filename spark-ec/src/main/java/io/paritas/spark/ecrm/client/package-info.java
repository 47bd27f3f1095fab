/* SPDX-License-Identifier: Apache-2.0 */
/** What a worker says to servers, as a machine without threads and sockets: {@link io.paritas.spark.ecrm.client.Worker}. */
package io.paritas.spark.ecrm.client;
