/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HDFS with the coders of Paritas, on real daemons in one JVM: DataNodes are killed and the bytes compared.
 *
 * <p>Each test is a story told with an {@link io.paritas.it.EcCluster}.
 */
package io.paritas.it;
