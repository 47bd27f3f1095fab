/* SPDX-License-Identifier: Apache-2.0 */
/** What workers and servers have in common: to read units that are gone from the others of their stripes. */
package io.paritas.spark.ecrm.read;
