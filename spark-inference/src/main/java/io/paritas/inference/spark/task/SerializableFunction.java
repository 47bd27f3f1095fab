/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

import java.io.Serializable;
import scala.Function1;

/** A function that Spark can send to executors. */
interface SerializableFunction<A, B> extends Function1<A, B>, Serializable {}
