/* SPDX-License-Identifier: Apache-2.0 */
/** How messages travel. */
package io.paritas.spark.ecrm.transport;
