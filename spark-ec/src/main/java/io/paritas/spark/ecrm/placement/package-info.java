/* SPDX-License-Identifier: Apache-2.0 */
/** Which server keeps what. Pure. */
package io.paritas.spark.ecrm.placement;
