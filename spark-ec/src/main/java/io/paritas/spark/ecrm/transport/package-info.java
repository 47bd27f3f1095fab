/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How messages travel: {@link io.paritas.spark.ecrm.transport.Transport}, and its implementation on Spark's network
 * library.
 */
package io.paritas.spark.ecrm.transport;
