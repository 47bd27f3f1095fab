/* SPDX-License-Identifier: Apache-2.0 */
/** Who is a server: decided in one place, the driver, as a machine without threads and sockets. */
package io.paritas.spark.ecrm.membership;
