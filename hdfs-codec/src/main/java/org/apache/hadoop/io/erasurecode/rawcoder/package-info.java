/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The bridge to HDFS: raw coders {@code rs_paritas} (codec {@code rs}), {@code xor_paritas} (codec {@code xor}) and
 * {@code paritas_paritas} (our own codec {@code paritas}).
 *
 * <p>It is in Hadoop's package because the state classes in the signatures of {@code doEncode} and {@code doDecode} are
 * package-private. Package-private access requires the same class loader, too. So there are two sides:
 *
 * <ul>
 *   <li>{@code ParitasRawEncoder} and {@code ParitasRawDecoder} unpack Hadoop's states. They are always defined by
 *       Hadoop's class loader, and use only Hadoop and the JDK.
 *   <li>Everything else may come from any class loader that sees Hadoop, such as that of {@code spark-submit --jars},
 *       and reaches those two through {@code HadoopSide}.
 * </ul>
 *
 * <p>HDFS falls back to its next coder only if creating a coder fails. So {@code createEncoder} and
 * {@code createDecoder} try everything that can fail.
 */
package org.apache.hadoop.io.erasurecode.rawcoder;
