/* SPDX-License-Identifier: Apache-2.0 */
/** What Scala's compiler generates for the nodes of Spark's plans, for nodes in Java. */
package io.paritas.spark.catalyst;
