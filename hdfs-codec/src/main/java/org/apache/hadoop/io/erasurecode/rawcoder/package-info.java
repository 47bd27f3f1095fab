/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The bridge to HDFS: raw coders {@code rs_paritas} (codec {@code rs}), {@code xor_paritas} (codec {@code xor}) and
 * {@code paritas_paritas} (our own codec {@code paritas}).
 *
 * <p>It lies in Hadoop's package because the state classes in the signatures of {@code doEncode} and {@code doDecode} are
 * package-private. The package is only the same package when the class loader is the same too. So there are two sides:
 *
 * <ul>
 *   <li>{@code ParitasRawEncoder} and {@code ParitasRawDecoder} take Hadoop's states apart. They are always defined by
 *       Hadoop's own class loader, and know nothing but Hadoop and the JDK.
 *   <li>Everything else may come from any class loader that sees Hadoop (say, {@code spark-submit --jars}), and
 *       reaches those two through {@code HadoopSide}.
 * </ul>
 *
 * <p>HDFS notices a coder that cannot work only while it creates it, and then falls back to the next one. So all that can
 * fail is tried in {@code createEncoder} and {@code createDecoder}.
 */
package org.apache.hadoop.io.erasurecode.rawcoder;
